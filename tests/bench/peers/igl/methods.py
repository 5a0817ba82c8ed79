# SPDX-License-Identifier: Apache-2.0
"""Methods of the imbalance study: on nodes of Cora, of which one tenth trains, and on the graphs of PTC-MR, also a tenth."""
import math

import torch
import torch.nn.functional as F

from frame import GCN, MLP, Affine, Method, Sparse, Task, both_ways, normalised, without_loops

POINTS = 10, 60


def read(folder):
    """The features of a node sum to one; those of graphs stay."""
    task = Task(folder, (0.1, 0.1))
    if task.graphs is not None:
        return task
    x = task.x
    total = torch.zeros(task.n).index_add(0, x.indices[0], x.values).clamp(min=1e-12)
    task.x = Sparse(x.indices[0], x.indices[1], x.values / total[x.indices[0]], x.shape)
    return task


class Gcn(Method):
    epochs = 500

    def network(self):
        self.adj = normalised(self.t.pairs, self.t.n)
        return GCN([self.t.f, self.hidden, self.t.classes])

    def z(self):
        return self.net(self.t.x, self.adj)


class ReNode(Gcn):
    """What classes send to a labelled node is summed by iterating PageRank for the labelled nodes alone."""

    def before(self):
        n, train, a = self.t.n, self.t.train, 0.15
        start = torch.zeros(n, len(train))
        start[train, torch.arange(len(train))] = a
        spread = start
        for _ in range(100):
            spread = start + (1 - a) * (self.adj.forward @ spread)
        sent = torch.stack([spread[:, self.y == c].mean(1) for c in range(self.t.classes)], 1)
        reached = spread.t() @ sent
        conflict = reached.sum(1) - reached.gather(1, self.y[:, None])[:, 0]
        rank = conflict.argsort().argsort() / (len(train) - 1)
        self.weight = 0.5 + 0.5 * (1 + torch.cos(math.pi * rank))

    def loss(self, epoch):
        each = F.cross_entropy(self.z()[self.t.train], self.y, reduction="none")
        return (self.weight * each).mean()


def divergence(p, q):
    """Jensen-Shannon, over the last axis."""
    m = (p + q) / 2
    return ((p * (p / m).log() + q * (q / m).log()) / 2).sum(-1)


class Tam(Gcn):
    hidden, alpha, beta, phi, gamma = 128, 2.5, 0.5, 1.2, 0.4

    def before(self):
        train, c = self.t.train, self.t.classes
        own = torch.arange(self.t.n).repeat(2, 1)
        place = torch.full((self.t.n,), -1).index_put((train,), torch.arange(len(train)))
        pairs = torch.cat([without_loops(self.t.pairs), own], 1)
        pairs = pairs[:, place[pairs[0]] >= 0]
        degree = torch.bincount(pairs[0], minlength=self.t.n).float()
        self.around = Sparse(place[pairs[0]], pairs[1], 1 / degree[pairs[0]], (len(train), self.t.n))
        self.one_hot = F.one_hot(self.y, c).float()
        size = self.one_hot.sum(0)
        share = self.gamma * size / size.sum() + 1 - self.gamma
        self.tau = self.phi * (share + 1 - share.max())

    @torch.no_grad()
    def margins(self, z):
        q = F.softmax(self.tau * z, 1)
        q[self.t.train] = self.one_hot
        d = (self.around.forward @ q).clamp(min=1e-6)
        usual = ((self.one_hot.t() @ d) / self.one_hot.sum(0)[:, None]).clamp(min=1e-6)
        at = self.y[:, None]
        ratio = d.gather(1, at) / usual[self.y].gather(1, at) * usual[self.y] / d
        to = divergence(d[:, None], usual[None]).square()
        apart = divergence(usual[:, None], usual[None]).clamp(min=1e-6)[self.y].square()
        unusual = (to.gather(1, at) + apart - to) / (2 * apart)
        margin = self.alpha * ratio.clamp(max=1).log() - self.beta * unusual
        return margin.scatter(1, at, 0)

    def loss(self, epoch):
        z = self.z()
        own = z[self.t.train]
        return F.cross_entropy(own if epoch < 5 else own + self.margins(z), self.y)


class Sage(torch.nn.Module):
    """What a node has itself and the mean of what is around it, each with a matrix."""

    def __init__(self, rows, cols, dropout):
        super().__init__()
        self.own, self.near, self.dropout = Affine(rows, cols, False), Affine(rows, cols, False), dropout

    def forward(self, x, adj):
        return F.dropout(F.relu(self.own(x) + adj @ self.near(x)), self.dropout, self.training)


class GraphSmote(Method):
    epochs, hidden, rate = 500, 64, 0.1

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.decoder, self.edges, self.head]

    def network(self):
        h = self.hidden
        self.decoder, self.edges, self.head = Sage(h, h, self.rate), Affine(h, h, False), Affine(h, self.t.classes)
        return Sage(self.t.f, h, self.rate)

    def mean_of(self, pairs, n):
        degree = torch.bincount(pairs[0], minlength=n).float()
        return Sparse(pairs[0], pairs[1], 1 / (degree[pairs[0]] + 1), (n, n))

    def before(self):
        n = self.t.n
        self.pairs = both_ways(without_loops(self.t.pairs), n)
        self.mean = self.mean_of(self.pairs, n)
        self.a = torch.zeros(n, n).index_put((self.pairs[0], self.pairs[1]), torch.ones(()))
        edges = self.a.sum()
        self.weight = torch.where(self.a > 0, torch.ones(()), edges / (n * n - edges))
        size = torch.bincount(self.y, minlength=self.t.classes)
        average = len(self.y) // self.t.classes
        self.rare = [(c, average // int(size[c])) for c in range(self.t.classes) if 0 < size[c] < average]

    def classify(self, e, adj):
        return self.head(self.decoder(e, adj))

    def z(self):
        return self.classify(self.net(self.t.x, self.mean), self.mean)

    def pairs_of(self, e):
        """Nodes that are joined: first, the nearest of its class, the node whose neighbours are candidates, the way."""
        found = []
        for c, times in self.rare:
            own = self.t.train[self.y == c]
            nearest = torch.cdist(e[own], e[own]).fill_diagonal_(float("inf")).argmin(1)
            found += [torch.stack([own, own[nearest], nearest]) for _ in range(times)]
        ways = torch.cat([torch.rand(()).expand(pair.shape[1]) for pair in found])
        return torch.cat(found, 1), ways[:, None]

    def loss(self, epoch):
        n, e = self.t.n, self.net(self.t.x, self.mean)
        code = self.edges(e)
        rebuilt = (self.weight * (torch.sigmoid(code @ code.t()) - self.a).square()).sum()
        with torch.no_grad():
            (first, second, candidate), way = self.pairs_of(e)
        new = e[first] + way * (e[second] - e[first])
        with torch.no_grad():
            likely = self.edges(new) @ code.t() >= 0
            linked = (((self.a[first] + self.a[candidate]) > 0) & likely).nonzero().t()
        linked = torch.stack([linked[0] + n, linked[1]])
        adj = self.mean_of(torch.cat([self.pairs, linked, linked.flip(0)], 1), n + len(new))
        z = self.classify(torch.cat([e, new]), adj)
        rows = torch.cat([self.t.train, torch.arange(n, n + len(new))])
        labels = torch.cat([self.y, self.t.labels[first]])
        return F.cross_entropy(z[rows], labels) + 1e-6 * rebuilt


class RawlsGcn(Gcn):
    """Over the doubly stochastic matrix."""
    epochs, lr = 100, 0.05

    def network(self):
        net = super().network()
        s = self.adj
        left = right = torch.ones(self.t.n)
        for _ in range(1000):
            right = 1 / (s.backward @ left)
            left = 1 / (s.forward @ right)
            if ((left * (s.forward @ right) - 1).abs().max() < 0.01) & ((right * (s.backward @ left) - 1).abs().max() < 0.01):
                break
        self.adj = Sparse(*s.indices, left[s.indices[0]] * s.values * right[s.indices[1]], s.shape)
        return net


class TopoAuc(Gcn):
    """Pairs of labelled nodes of different classes, weighed by the neighbours that they share; the weights are made once."""
    hidden, lr, decay, gamma = 128, 0.005, 0, 0.5

    def before(self):
        t, train = self.t, self.t.train
        near = torch.zeros(t.n, t.n).index_put((t.pairs[0], t.pairs[1]), torch.ones(()))[train]
        with_own = near.clone()
        with_own[torch.arange(len(train)), train] = 1
        both, base = near @ with_own.t(), 0.731058579
        apart = near.sum(1, keepdim=True) - both
        weight = 1 - torch.sigmoid((1 + base * apart) / (1 + base * both))
        size = torch.bincount(self.y, minlength=t.classes).float()
        differ = self.y[:, None] != self.y[None]
        self.weight = 1e-3 * weight * differ / (size[self.y][:, None] * size[self.y][None])

    def loss(self, epoch):
        p = F.softmax(self.z()[self.t.train], 1)
        own = p.gather(1, self.y[:, None])
        other = p[:, self.y].t()  # [u, w]: what w says of u's class
        return (self.weight * torch.exp(-self.gamma * (own - other))).sum()


class DrGcn(Gcn):
    """Every optimiser steps all that has a gradient."""
    hidden, lr, decay = 20, 0.005, 0

    def network(self):
        net, k = super().network(), self.t.classes
        net.dropout = 0
        self.make, self.judge = MLP([20 + k, 164, k], 0), MLP([2 * k, 164, 1], 0)
        return net

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.make, self.judge]

    def z(self):
        return F.softmax(super().z(), 1)

    def before(self):
        t, train = self.t, self.t.train
        size = torch.bincount(self.y, minlength=t.classes)
        rows = []
        for c in range(t.classes):
            own = train[self.y == c]
            rows += [own, own[torch.randint(len(own), (int(size.max() - size[c]),))]]
        rows = torch.cat(rows)
        self.list = rows[torch.randperm(len(rows))]
        near = self.adj.forward.to_dense()[self.list] > 0
        self.around = near.any(0).nonzero()[:, 0]
        self.near, self.place = near[:, self.around].float(), 0
        self.optimisers = [self.optimiser(self.parameters()) for _ in range(3)]

    def adversaries(self, rows):
        z, y = self.z(), F.one_hot(self.t.labels[self.list[rows]], self.t.classes).float()
        made = F.softmax(torch.tanh(self.make(torch.cat([torch.rand(len(rows), 20), y], 1))), 1)
        b = self.near[rows]
        close = (b / b.mean() * torch.cdist(made, z[self.around])).mean()
        return z[self.list[rows]], made, y, close

    def epoch(self, optimiser, epoch):
        z = self.z()[self.t.train]
        s = F.softplus(z + math.log(math.e - 1))
        spread = ((s * s + z * z - 1) / 2 - s.log()).sum(1).mean()
        self.step(self.optimisers[0], 0.3 * F.cross_entropy(z, self.y) + 0.7 * spread)
        count = len(self.t.train) // 2
        rows = (epoch * count + torch.arange(count)) % len(self.list)
        real, made, y, close = self.adversaries(rows)
        said = [self.judge(torch.cat([x, y], 1)) for x in (real, made)]
        of = F.binary_cross_entropy_with_logits
        self.step(self.optimisers[1], of(said[0], torch.ones_like(said[0])) + of(said[1], torch.zeros_like(said[1])) + close)
        _, made, y, close = self.adversaries(rows)
        said = self.judge(torch.cat([made, y], 1))
        self.step(self.optimisers[2], of(said, torch.ones_like(said)) + close)


class HyperImba(Gcn):
    """Curvatures and positions are drawn: to know them takes no time here."""
    hidden, lr, drop = 16, 0.01, 0.6

    class Layer(torch.nn.Module):
        def __init__(self, a, o):
            super().__init__()
            self.w, self.k1, self.k2 = Affine(a, o, False), Affine(1, o, False), Affine(o, o)
            self.p1, self.p2 = Affine(2, o, False), Affine(o, o)
            self.b = torch.nn.Parameter(torch.zeros(o))

        def forward(self, x, of):
            weight = self.k2(F.leaky_relu(self.k1(of.curvature), 0.2))
            weight = (weight - weight.detach().max()).exp()
            weight = weight / torch.zeros(of.t.n, weight.shape[1]).index_add(0, of.source, weight)[of.source]
            z = self.w(x)
            out = torch.zeros_like(z).index_add(0, of.target, weight * z[of.source]) + self.b
            return out + F.leaky_relu(self.p2(F.leaky_relu(self.p1(of.position), 0.2)))

    def network(self):
        own = torch.arange(self.t.n).repeat(2, 1)
        self.source, self.target = torch.cat([without_loops(self.t.pairs), own], 1)
        self.curvature, self.position = torch.rand(len(self.source), 1) - 0.5, torch.rand(self.t.n, 2) - 0.5
        net = torch.nn.Module()
        net.a, net.b = self.Layer(self.t.f, self.hidden), self.Layer(self.hidden, self.t.classes)
        return net

    def z(self):
        drop = lambda x: F.dropout(x, self.drop, self.net.training)
        x = self.t.x.kept(1 - self.drop) if self.net.training else self.t.x
        return self.net.b(drop(F.elu(self.net.a(x, self))), self)


class DemoNet(Gcn):
    """Nodes of a degree have a matrix of their own: one product a degree, over the features' sums of neighbours."""
    epochs, lr, rate = 1000, 0.005, 0.1

    class Layer(torch.nn.Module):
        def __init__(self, a, o, degrees):
            super().__init__()
            self.shared, self.own = Affine(a, o, False), Affine(a, o)
            self.each = torch.nn.ModuleList([Affine(a, o, False) for _ in range(degrees)])

    def network(self):
        t, pairs = self.t, without_loops(self.t.pairs)
        degree = torch.bincount(pairs[0], minlength=t.n)
        self.mean = normalised(pairs, t.n, False, "rw")
        self.groups = [(degree == d).nonzero()[:, 0] for d in torch.unique(degree[degree > 0])]
        self.alone = (degree == 0).float()[:, None]
        self.order = torch.cat(self.groups)
        self.first = [self.rows_of(t.x, rows) for rows in self.groups]
        net = torch.nn.Module()
        sizes = [t.f, 64, 64, t.classes]
        net.layers = torch.nn.ModuleList([self.Layer(a, o, len(self.groups)) for a, o in zip(sizes, sizes[1:])])
        return net

    def rows_of(self, x, rows):
        """Means of neighbours' features, sparse."""
        whole = (self.mean.forward.to_sparse_coo() @ x.forward.to_sparse_coo()).coalesce()
        place = torch.full((self.t.n,), -1).index_put((rows,), torch.arange(len(rows)))
        at, kept = place[whole.indices()[0]], place[whole.indices()[0]] >= 0
        return Sparse(at[kept], whole.indices()[1][kept], whole.values()[kept], (len(rows), x.shape[1]))

    def z(self):
        drop, x = lambda x: F.dropout(x, self.rate, self.net.training), self.t.x
        for i, layer in enumerate(self.net.layers):
            shared = layer.shared(x)
            if i:
                near = self.mean @ x
                said = torch.cat([m(near[rows]) for m, rows in zip(layer.each, self.groups)])
            else:
                said = torch.cat([m(rows) for m, rows in zip(layer.each, self.first)])
            near = self.mean @ shared + self.alone * shared
            near = near.index_add(0, self.order, said)
            x = drop(layer.own(x)) + drop(near)
            x = F.elu(x) if i + 1 < len(self.net.layers) else x
        return x


class TailGnn(Gcn):
    """Two steps of the discriminator for one of the model."""
    epochs, hidden, decay = 1000, 32, 1e-4

    class Layer(torch.nn.Module):
        def __init__(self, a, o):
            super().__init__()
            self.out = Affine(a, o, bound=1 / math.sqrt(o))
            self.gates = Affine(a, 2 * a, False)
            self.near_gates = Affine(a, 2 * a, False)
            self.r = torch.nn.Parameter(torch.empty(a).uniform_(-1 / math.sqrt(a), 1 / math.sqrt(a)))

        def forward(self, x, near, graph, tail):
            """The first layer's rows are given sparse for the products, dense for the sums."""
            whole = lambda rows: rows.dense if isinstance(rows, Sparse) else rows
            gates = F.leaky_relu(self.gates(x) + self.near_gates(near), 0.2)
            scale, shift = gates.split(gates.shape[1] // 2, 1)
            missing = whole(x) + (scale + 1) * self.r + shift - whole(near)
            h = x @ self.out.w
            if not tail:
                return graph.with_own @ h + self.out.b, missing
            total = graph.sums @ h + self.out.b + missing @ self.out.w
            return total / graph.count, missing

    class Around:
        def __init__(self, pairs, n):
            own = torch.arange(n).repeat(2, 1)
            self.mean = normalised(pairs, n, False, "rw")
            self.with_own = normalised(torch.cat([pairs, own], 1), n, False, "rw")
            self.sums = normalised(torch.cat([pairs, own], 1), n, False, None)
            self.count = torch.bincount(pairs[0], minlength=n)[:, None] + 2.0

    def network(self):
        t, pairs = self.t, without_loops(self.t.pairs)
        self.whole = self.Around(pairs, t.n)
        most = torch.full((t.n,), t.n)
        most[t.train] = torch.randint(1, 6, (len(t.train),))
        mixed = pairs[:, torch.randperm(pairs.shape[1])]
        mixed = mixed[:, torch.argsort(mixed[0], stable=True)]
        start = torch.bincount(mixed[0], minlength=t.n).cumsum(0) - torch.bincount(mixed[0], minlength=t.n)
        self.part = self.Around(mixed[:, torch.arange(mixed.shape[1]) - start[mixed[0]] < most[mixed[0]]], t.n)
        t.x.dense = t.x.forward.to_dense()
        for graph in (self.whole, self.part):
            near = (graph.mean.forward.to_sparse_coo() @ t.x.forward.to_sparse_coo()).coalesce()
            graph.near = Sparse(*near.indices(), near.values(), (t.n, t.f))
            graph.near.dense = near.to_dense()
        k = t.classes
        self.judge = torch.nn.Sequential(torch.nn.ELU(), torch.nn.Dropout(0.5), Affine(k, k), torch.nn.ELU(), Affine(k, 1, False))
        net = torch.nn.Module()
        net.layers = torch.nn.ModuleList([self.Layer(t.f, self.hidden), self.Layer(self.hidden, k)])
        return net

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.judge]

    def before(self):
        self.of_judge = self.optimiser(self.judge.parameters())

    def encode(self, graph, tail):
        first, last = self.net.layers
        h, missing = first(self.t.x, graph.near, graph, tail)
        h = F.dropout(F.elu(h), 0.5, self.net.training)
        z, other = last(h, graph.mean @ h, graph, tail)
        return z, (missing, other)

    def z(self):
        return self.encode(self.whole, True)[0]

    def parameters(self):
        return list(self.net.parameters())

    def epoch(self, optimiser, epoch):
        of, rows = F.binary_cross_entropy_with_logits, self.t.train
        for _ in range(2):
            with torch.no_grad():
                head, tail = self.encode(self.whole, False)[0][rows], self.encode(self.part, True)[0][rows]
            a, b = self.judge(head), self.judge(tail)
            self.step(self.of_judge, (of(a, torch.ones_like(a)) + of(b, torch.zeros_like(b))) / 2)
        head, missing = self.encode(self.whole, False)
        tail = self.encode(self.part, True)[0]
        b = self.judge(tail[rows])
        loss = (F.cross_entropy(head[rows], self.y) + F.cross_entropy(tail[rows], self.y)) / 2
        loss = loss - 0.1 * of(b, torch.zeros_like(b)) + 0.001 * sum(m.norm(dim=1).mean() for m in missing)
        self.step(optimiser, loss)


class ColdBrew(Gcn):
    """The teacher, which learns no embeddings in the study."""
    epochs, lr, rate = 1500, 0.001, 0.6

    def network(self):
        self.adj, h = normalised(self.t.pairs, self.t.n), self.hidden
        net = torch.nn.Module()
        net.first, net.last = Affine(self.t.f, h), Affine(h, self.t.classes)
        net.convs = torch.nn.ModuleList([Affine(h, h) for _ in range(2)])
        return net

    def z(self):
        net = self.net
        drop = lambda x: F.dropout(x, self.rate, net.training)
        start = x = F.relu(net.first(self.t.x.kept(1 - self.rate) if net.training else self.t.x))
        for conv in net.convs:
            x = 0.9 * F.relu(self.adj @ (drop(x) @ conv.w) + conv.b) + 0.1 * start
        return net.last(drop(x))


class Dpgnn(Gcn):
    """A query and the others of every class in a step. The labels that spread at the start take no time here."""
    epochs, hidden = 3000, 256

    def network(self):
        self.adj, k = normalised(self.t.pairs, self.t.n), self.t.classes
        self.g = Affine(self.hidden * k, k)
        self.rows, self.cols = self.adj.indices
        self.root = torch.bincount(self.rows, minlength=self.t.n).float().rsqrt()[:, None]
        return GCN([self.t.f, self.hidden, self.hidden])

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.g]

    def far(self, q, prototypes):
        """W of every difference: the product with q is one for all prototypes together."""
        w = self.g.w.view(len(prototypes), self.hidden, -1)
        return q @ w.sum(0) - (prototypes[:, None] @ w).sum((0, 1)) + self.g.b

    def parts(self, e):
        query, prototypes = [], []
        for c in range(self.t.classes):
            own = self.t.train[self.y == c]
            own = own[torch.randperm(len(own))]
            query.append(own[0])
            prototypes.append(e[own[1:] if len(own) > 1 else own].mean(0))
        return torch.stack(query), torch.stack(prototypes)

    def loss(self, epoch):
        k, e = self.t.classes, self.net(self.t.x, self.adj)
        query, p = self.parts(e)
        of_prototypes, of_all = self.far(p, p), self.far(e, p)
        said = of_all[query] @ of_prototypes.t()
        unit = F.normalize(p)
        apart = ((unit @ unit.t()).sum() - k) / ((k * k - k) / 2)
        scaled = of_all * self.root
        smooth = (scaled[self.rows] - scaled[self.cols]).square().mean()
        return F.cross_entropy(said, torch.arange(k)) + 10 * apart + 20 * smooth

    def scores(self):
        e = self.net(self.t.x, self.adj)
        _, p = self.parts(e)
        return self.far(e, p) @ self.far(p, p).t()


class GraphEns(Gcn):
    """New nodes with neighbours of their own, after the first epochs as in all later ones. Layers are means over neighbours and
    self. Columns are masked where the loss before depended most on them."""
    warmup = 5

    def network(self):
        t = self.t
        own = torch.arange(t.n).repeat(2, 1)
        self.pairs = torch.cat([without_loops(t.pairs), own], 1)
        self.mean = normalised(self.pairs, t.n, False, "rw")
        self.x = t.x.forward.to_dense()
        near = self.mean.forward.to_dense()
        self.near = near.fill_diagonal_(0)
        self.near = F.normalize(self.near, p=1)
        self.degree = torch.bincount(without_loops(t.pairs)[0], minlength=t.n)
        self.saliency = self.before_logits = None
        net = torch.nn.Module()
        net.a, net.b, net.last = Affine(t.f, self.hidden), Affine(self.hidden, self.hidden), Affine(self.hidden, t.classes)
        return net

    def stack(self, x, mean):
        net, drop = self.net, lambda x: F.dropout(x, 0.5, self.net.training)
        h = drop(F.relu(mean @ (x @ net.a.w) + net.a.b))
        return net.last(drop(F.relu(mean @ (h @ net.b.w) + net.b.b)))

    def z(self):
        return self.stack(self.t.x, self.mean)

    def before(self):
        size = torch.bincount(self.y, minlength=self.t.classes)
        self.rare = [(self.t.train[self.y == c], int(size.max() - size[c])) for c in range(self.t.classes)]
        n = size[self.y].float()
        self.weight = n.log() / n

    def sources(self):
        source = torch.cat([own[torch.randint(len(own), (count,))] for own, count in self.rare]).sort().values
        return source, self.t.train[torch.multinomial(self.weight, len(source), True)]

    def linked(self, source, target):
        p = F.softmax((self.mean.forward @ self.before_logits) / 2, 1)
        far = (p[source] * (p[source].log() - p[target].log())).sum(1).clamp(min=0)
        own = torch.sigmoid(far)[:, None]
        q = own * self.near[source] + (1 - own) * self.near[target]
        count = torch.minimum(self.degree[torch.randint(self.t.n, (len(source),))], self.degree[source])
        most = max(int(count.max()), 1)
        drawn = torch.multinomial(q + 1e-12, most)
        keep = torch.arange(most) < count[:, None]
        place = torch.arange(len(source))[:, None].expand_as(drawn)
        return torch.stack([place[keep], drawn[keep]]), far

    def masked(self, x, source, target, far):
        k = int(0.01 * self.t.f)
        chosen = torch.multinomial(F.normalize(self.saliency[target] + 1e-10, p=1), k)
        kept = torch.floor(torch.sigmoid(far / 3) * k).long()[:, None]
        chosen = torch.where(torch.arange(k) < kept, chosen, chosen[:, :1])
        return x.scatter(1, chosen, self.x[source].gather(1, chosen))

    @torch.no_grad()
    def new_nodes(self, epoch):
        source, target = self.sources()
        mix = torch.distributions.Beta(2.0, 2.0).sample((len(source), 1))
        x = mix * self.x[source] + (1 - mix) * self.x[target]
        if epoch <= self.warmup:
            place, near = (self.near[source] > 0).nonzero().t()
            return source, x, torch.stack([place, near])
        links, far = self.linked(source, target)
        return source, self.masked(x, source, target, far), links

    def loss(self, epoch):
        n = self.t.n
        source, new, links = self.new_nodes(epoch)
        own = torch.arange(len(new)).repeat(2, 1) + n
        pairs = torch.cat([self.pairs, own, torch.stack([links[0] + n, links[1]])], 1)
        x = torch.cat([self.x, new]).requires_grad_()
        z = self.stack(x, normalised(pairs, n + len(new), False, "rw"))
        rows = torch.cat([self.t.train, torch.arange(n, n + len(new))])
        self.before_logits, self.input = z[:n].detach(), x
        return F.cross_entropy(z[rows], torch.cat([self.y, self.t.labels[source]]))

    def epoch(self, optimiser, epoch):
        super().epoch(optimiser, epoch)
        self.saliency = self.input.grad[:self.t.n].abs()


class GraphSha(GraphEns):
    """Hard new nodes, linked along diffused edges."""

    def network(self):
        net = super().network()
        s = normalised(self.t.pairs, self.t.n).forward.to_dense()
        rank = 0.05 * torch.linalg.inv(torch.eye(self.t.n) - 0.95 * s)
        top = rank.topk(128, 0)
        rank = torch.zeros_like(rank).scatter_(0, top.indices, top.values)
        self.diffused = rank / rank.sum(0)
        net.b, net.last = Affine(self.hidden, self.t.classes), None
        return net

    def stack(self, x, mean):
        net = self.net
        h = F.dropout(F.relu(mean @ (x @ net.a.w) + net.a.b), 0.5, net.training)
        return mean @ (h @ net.b.w) + net.b.b

    def hard(self):
        q, average = F.softmax(self.before_logits[self.t.train] / 2, 1), len(self.y) / self.t.classes
        source, target = [], []
        for c in range(self.t.classes):
            own = (self.y == c).nonzero()[:, 0]
            count = int(average - len(own))
            if count <= 0:
                continue
            rows = own[torch.multinomial(1 - q[own, c] + 1e-12, count, True)]
            other = q[rows].clone()
            other[:, c] = 0
            other = torch.multinomial(other + 1e-12, 1)[:, 0]
            likely = (self.y[None] == other[:, None]) * q[:, c] + 1e-12 * (self.y[None] == other[:, None])
            source.append(self.t.train[rows])
            target.append(self.t.train[torch.multinomial(likely, 1)[:, 0]])
        return torch.cat(source), torch.cat(target)

    @torch.no_grad()
    def new_nodes(self, epoch):
        if epoch <= self.warmup:
            return super().new_nodes(epoch)
        source, target = self.hard()
        mix = torch.distributions.Beta(1.0, 100.0).sample((len(source), 1))
        count = torch.minimum(self.degree[torch.randint(self.t.n, (len(source),))], self.degree[source])
        most = max(int(count.max()), 1)
        drawn = torch.multinomial(self.diffused[source] + 1e-12, most)
        keep = torch.arange(most) < count[:, None]
        place = torch.arange(len(source))[:, None].expand_as(drawn)
        return source, mix * self.x[source] + (1 - mix) * self.x[target], torch.stack([place[keep], drawn[keep]])

    def epoch(self, optimiser, epoch):
        self.step(optimiser, self.loss(epoch))


class Pastel(Gcn):
    """A learned dense graph, then the same on the hidden layer, again and again. Distances and ranks, which are made at the start,
    take no time here; positions count in one epoch of fifty and are left out."""
    hidden, skip = 16, 0.8
    points = 1, 4

    def network(self):
        t, h, n = self.t, self.hidden, self.t.n
        self.dense, self.x = normalised(t.pairs, n).forward.to_dense(), t.x.forward.to_dense()
        self.factor = 1 - torch.cos(math.pi * torch.rand(n, n))
        net = torch.nn.Module()
        net.a, net.b = Affine(t.f, h, False), Affine(h, t.classes, False)
        net.ways = torch.nn.ParameterList([torch.nn.Parameter(torch.rand(4, d) * 0.1) for d in (t.f, h)])
        return net

    def learned(self, z, ways):
        """Four cosines are one product of rows four times as long."""
        views = F.normalize(z[None] * ways[:, None], dim=2).transpose(0, 1).reshape(len(z), -1) / 2
        raw = F.dropout((views @ views.t()) * self.factor, 0.5, self.net.training)
        return raw, self.skip * self.dense + (1 - self.skip) * raw / raw.sum(1, keepdim=True).clamp(min=1e-12)

    def convolve(self, a):
        a = F.dropout(a, 0.5, self.net.training)
        h = F.relu(a @ self.net.a(self.kept))
        return h, a @ self.net.b(F.dropout(h, 0.5, self.net.training))

    def cost(self, z, raw):
        of = (raw.sum(1, keepdim=True) * self.input.square()).sum() - (self.input * (raw @ self.input)).sum()
        return F.cross_entropy(z[self.t.train], self.y) + 0.2 * of / self.t.n ** 2

    def rounds(self, epoch):
        training = self.net.training
        self.kept = self.t.x.kept(0.5) if training else self.t.x
        self.input = self.kept.forward.to_dense() if training else self.x
        raw, a = self.learned(self.input, self.net.ways[0])
        first, scale, share = a, raw.detach().square().sum(), 0.1 * math.sin(math.pi / 2 * epoch / self.epochs)
        h, z = self.convolve(a)
        losses = [self.cost(z, raw)]
        for _ in range(10):
            before = raw
            raw, a = self.learned(h, self.net.ways[1])
            h, z = self.convolve(share * a + (1 - share) * first)
            losses.append(self.cost(z, raw))
            if len(losses) > 2 and (raw - before).detach().square().sum() / scale <= 4e-5:
                break
        return losses[0] + sum(losses[1:]) / (len(losses) - 1), z

    def loss(self, epoch):
        self.at = epoch
        return self.rounds(epoch)[0]

    def scores(self):
        return self.rounds(self.at)[1]


class ImGagn(Gcn):
    """The generator's distance alone reaches it; a step of it for a hundred of the network."""
    epochs, hidden, inner = 1000, 128, 100

    def network(self):
        t = self.t
        self.adj, h = normalised(t.pairs, t.n), self.hidden
        size = torch.bincount(self.y, minlength=t.classes)
        self.rare = int(torch.where(size > 0, size, t.n).argmin())
        self.few = t.train[self.y == self.rare]
        self.made = int((len(t.train) - len(self.few)) / (t.classes - 1))
        self.generator = MLP([100, 200, 200, len(self.few)], 0)
        self.x = t.x.forward.to_dense()
        net = torch.nn.Module()
        net.first, net.last = Affine(t.f, h), Affine(h, t.classes + 2)
        return net

    def before(self):
        self.of_generator = self.optimiser(self.generator.parameters())

    def both(self, adj, x):
        h = F.dropout(F.relu(adj @ (x @ self.net.first.w) + self.net.first.b), 0.5, self.net.training)
        return adj @ (h @ self.net.last.w) + self.net.last.b

    def z(self):
        return self.both(self.adj, self.t.x)[:, :self.t.classes]

    def generate(self):
        n, rows = self.t.n, self.x[self.few]
        weight = F.softmax((torch.tanh(self.generator(torch.randn(self.made, 100))) + 1) / 2, 1)
        new = weight @ rows
        self.step(self.of_generator, torch.cdist(rows, new).mean())
        place, near = (weight > 1 / len(self.few)).nonzero().t()
        links = torch.stack([place + n, self.few[near]])
        pairs = torch.cat([without_loops(self.t.pairs), links, links.flip(0)], 1)
        self.wide, self.all = normalised(pairs, n + self.made, True, "rw"), torch.cat([self.x, new.detach()])
        self.rows = torch.cat([self.t.train, torch.arange(n, n + self.made)])
        self.says = torch.cat([self.y, torch.full((self.made,), self.rare)])
        self.false = (self.rows >= n).long()

    def loss(self, epoch):
        if epoch % self.inner == 0:
            self.generate()
        z = self.both(self.wide, self.all)[self.rows]
        c = self.t.classes
        return F.cross_entropy(z[:, :c], self.says) + F.cross_entropy(z[:, c:], self.false)


class Graphs(Method):
    """Networks of whole graphs: those of training in one batch, those of validation in another."""
    epochs, lr, decay, width, layers, rate = 500, 0.005, 0, 256, 3, 0.5

    def __init__(self, task):
        super().__init__(task)
        self.y = task.labels[task.train]

    def batch(self, ids):
        """Features, sums over neighbours, the graph of each node."""
        t, sizes = self.t, self.t.graphs.diff()[ids]
        nodes = torch.cat([torch.arange(t.graphs[g], t.graphs[g + 1]) for g in ids])
        place = torch.full((t.n,), -1).index_put((nodes,), torch.arange(len(nodes)))
        kept = (place[t.pairs[0]] >= 0)
        pairs = place[t.pairs[:, kept]]
        return t.x[nodes], Sparse(*pairs, torch.ones(pairs.shape[1]), (len(nodes),) * 2), sizes

    def network(self):
        self.training_batch, self.judged = self.batch(self.t.train), self.batch(self.t.val)
        return GinNet(self.t.f, self.width, self.layers, self.t.classes, self.rate)

    def loss(self, epoch):
        return F.cross_entropy(self.net(*self.training_batch), self.y)

    def validation(self):
        return (self.net(*self.judged).argmax(1) == self.t.labels[self.t.val]).float().mean().item()


class GinNet(torch.nn.Module):
    def __init__(self, f, h, layers, classes, rate, how="sum"):
        super().__init__()
        part = lambda a: torch.nn.Sequential(Affine(a, h), torch.nn.BatchNorm1d(h), torch.nn.ReLU(), Affine(h, h), torch.nn.ReLU())
        self.parts = torch.nn.ModuleList([part(h if i else f) for i in range(layers)])
        self.out, self.rate, self.how = torch.nn.Linear(h, classes), rate, how

    def pooled(self, x, adj, sizes):
        for part in self.parts:
            x = F.dropout(part(x + adj @ x), self.rate, self.training)
        return torch.segment_reduce(x, self.how, lengths=sizes)

    def forward(self, x, adj, sizes):
        return self.out(self.pooled(x, adj, sizes))


METHODS = {"gcn": Gcn, "renode": ReNode, "tam": Tam, "graphsmote": GraphSmote, "rawlsgcn": RawlsGcn, "topoauc": TopoAuc,
           "drgcn": DrGcn, "hyperimba": HyperImba, "demo-net": DemoNet, "tail-gnn": TailGnn, "cold-brew": ColdBrew,
           "dpgnn": Dpgnn, "graphens": GraphEns, "graphsha": GraphSha, "imgagn": ImGagn, "pastel": Pastel, "gin": Graphs}
