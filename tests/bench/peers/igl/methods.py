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


class G2gnn(Graphs):
    """All training graphs fit one batch: the graphs that are computed together, and what links them, are the same in every
    epoch. Edges that a copy keeps are summed without a matrix."""
    width, layers, lr, decay, copies = 32, 5, 0.001, 5e-4, 2

    class Edges:
        def __init__(self, pairs, share):
            self.rows, self.cols = pairs[:, torch.rand(pairs.shape[1]) < share]

        def __matmul__(self, x):
            return torch.zeros_like(x).index_add(0, self.rows, x[self.cols])

    def hops(self):
        """Hops between the nodes of each graph, 0 where there is no path: all graphs grow at once."""
        t, size = self.t, self.t.graphs.diff()
        most, graph = int(size.max()), torch.repeat_interleave(torch.arange(len(size)), size)
        near = torch.zeros(len(size), most, most)
        near[graph[t.pairs[0]], t.pairs[0] - t.graphs[graph[t.pairs[0]]], t.pairs[1] - t.graphs[graph[t.pairs[0]]]] = 1
        far, seen, step = torch.zeros(near.shape, dtype=torch.long), torch.eye(most).expand(near.shape) > 0, 0
        front = seen.float()
        while front.any():
            step += 1
            front = ((front @ near > 0) & ~seen).float()
            far[front > 0] = step
            seen = seen | (front > 0)
        return far, graph

    def nearest(self):
        """The second and third of the kernel of paths: how often two graphs have the same labels so many hops apart."""
        t, (far, graph) = self.t, self.hops()
        label = torch.zeros(far.shape[:2], dtype=torch.long)
        label[graph, torch.arange(t.n) - t.graphs[graph]] = t.x.argmax(1)
        which, a, b = (far > 0).nonzero().t()
        key = (far[which, a, b] * t.f + label[which, a]) * t.f + label[which, b]
        known, place = torch.unique(key, return_inverse=True)
        count = torch.zeros(len(far) * len(known)).index_add(0, which * len(known) + place, torch.ones(len(key)))
        unit = F.normalize(count.view(len(far), -1))
        return (unit @ unit.t()).topk(3).indices[:, 1:]

    def group(self, batch):
        """The graphs of a batch with their neighbours, the links to the third power, where the batch is among them."""
        ids, place = torch.unique(torch.cat([batch, self.near[batch].flatten()]), return_inverse=True)
        at = torch.full((len(self.near),), -1).index_put((ids,), torch.arange(len(ids)))
        ends = at[self.near[ids]]
        rows = torch.arange(len(ids))[:, None].expand_as(ends)[ends >= 0]
        links = torch.zeros(len(ids), len(ids))
        for a, b in ((rows, ends[ends >= 0]), (ends[ends >= 0], rows)):
            links.index_put_((a, b), torch.ones(len(a)), accumulate=True)
        links = links + torch.eye(len(ids))
        x, adj, sizes = self.batch(ids)
        return x, adj.indices, sizes, torch.linalg.matrix_power(links / links.sum(0), 3), place[:len(batch)]

    def network(self):
        t, h, size = self.t, self.width, torch.bincount(self.t.labels[self.t.train])
        self.near = self.nearest()
        of_class = [t.train[t.labels[t.train] == c] for c in range(t.classes)]
        batch = torch.cat([own.repeat(-(-int(size.max()) // len(own)))[:int(size.max())] for own in of_class])
        self.y, self.of_train, self.of_val = t.labels[batch], self.group(batch), self.group(t.val)
        net = GinNet(t.f, h, self.layers, t.classes, 0, "mean")
        net.inner, net.out = Affine(h, h), Affine(h, t.classes)
        return net

    def __init__(self, task):
        Method.__init__(self, task)  # the labels are the batch's

    def said(self, group):
        x, pairs, sizes, links, rows = group
        h = links @ self.net.pooled(x, self.Edges(pairs, 0.95), sizes)
        h = F.dropout(F.relu(self.net.inner(h)), 0.1, self.net.training)
        return F.log_softmax(self.net.out(h)[rows], 1)

    def loss(self, epoch):
        said = [self.said(self.of_train) for _ in range(self.copies)]
        p = [s.exp() for s in said]
        sharp = (sum(p) / self.copies).detach().square()
        sharp = sharp / sharp.sum(1, keepdim=True)
        return sum(F.nll_loss(s, self.y) + (q - sharp).square().sum(1).mean() for s, q in zip(said, p)) / self.copies

    def validation(self):
        said = sum(self.said(self.of_val) for _ in range(self.copies))
        return (said.argmax(1) == self.t.labels[self.t.val]).float().mean().item()


class ImGkb(Graphs):
    """The study's: a network without edges, shared by all layers, and walks on small graphs that are learned."""
    width, layers, lr, decay, graphs, size, steps = 96, 2, 0.001, 0, 6, 4, 4

    def network(self):
        t, h, m = self.t, self.width, self.graphs
        self.training_batch, self.judged = self.batch(t.train), self.batch(t.val)
        two = lambda a, b, c: MLP([a, b, c], 0)
        net = torch.nn.Module()
        net.first, net.second, net.joined = Affine(t.f, 32), Affine(32, h), two(3 * h, h, h)
        net.deep = torch.nn.ModuleList([two(h, h, h) for _ in range(3)])
        net.upper = torch.nn.ParameterList([torch.nn.Parameter(2 * torch.rand(m, self.size * (self.size - 1) // 2) - 1)
                                            for _ in range(self.layers)])
        net.z = torch.nn.ParameterList([torch.nn.Parameter(torch.randn(m, self.size, h) * math.sqrt(2 / h))
                                        for _ in range(self.layers)])
        net.attention = torch.nn.ModuleList([two(m, 16, 1) for _ in range(self.layers)])
        net.bound = torch.nn.ModuleList([two(h + m, h, 1) for _ in range(self.layers)])
        net.out = torch.nn.ModuleList([two(m * self.steps if i else h, h, t.classes) for i in range(self.layers + 1)])
        self.above = torch.triu_indices(self.size, self.size, 1)
        return net

    def walks(self, layer, mean):
        """Steps x graphs x hidden graphs."""
        z, (a, b) = self.net.z[layer], self.above
        adj = torch.zeros(self.graphs, self.size, self.size)
        adj[:, a, b] = F.relu(self.net.upper[layer])
        adj, flat = adj + adj.transpose(1, 2), lambda z: mean @ z.reshape(-1, self.width).t()
        first, found = flat(z), []
        for _ in range(self.steps):
            z = adj @ z
            found.append((first * flat(z)).view(len(mean), self.graphs, self.size).sum(2))
        return found

    def run(self, x, adj, sizes, bound=None):
        net = self.net
        mean_of = lambda x: torch.segment_reduce(x, "mean", lengths=sizes)
        x = F.relu(net.second(F.relu(F.dropout(net.first(x), 0.5, net.training))))
        z = net.out[0](mean_of(x))
        for i in range(self.layers):
            parts = []
            for deep in net.deep:
                x = F.relu(deep(x))
                parts.append(x)
            x = net.joined(torch.cat(parts, 1))
            mean = mean_of(x)
            steps = self.walks(i, mean)
            z = z + net.out[i + 1](torch.cat(steps, 1))
            if bound is None:
                continue
            steps = torch.stack(steps, 1)
            a = (steps * F.softmax(net.attention[i](steps.view(-1, self.graphs)).view(len(mean), -1), 1)[..., None]).sum(1)
            of = lambda a: F.relu(net.bound[i](torch.cat([mean, a], 1)))
            bound.append(of(a).mean() + of(a[torch.randperm(len(a))]).exp().mean().log())
        return z

    def loss(self, epoch):
        size, bound = torch.bincount(self.y, minlength=self.t.classes), []
        weight = 0.001 / (1 - 0.999 ** size.float())
        z = self.run(*self.training_batch, bound)
        return F.cross_entropy(z, self.y, self.t.classes * weight / weight.sum()) + 0.3 * sum(bound)

    def validation(self):
        return (self.run(*self.judged).argmax(1) == self.t.labels[self.t.val]).float().mean().item()


class TopoImb(Graphs):
    """Groups of graphs are drawn: to know them takes no time here. One batch has all training graphs."""
    width, layers, lr, decay, templates, groups, lr_weights = 128, 3, 0.001, 5e-4, 8, 16, 0.01

    class Leaky(torch.nn.Module):
        def __init__(self, a, h, o):
            super().__init__()
            self.first, self.last = Affine(a, h), Affine(h, o)

        def forward(self, x):
            return self.last(F.leaky_relu(self.first(x), 0.1))

    def network(self):
        t, h, l = self.t, self.width, self.layers
        self.training_batch, self.judged = self.batch(t.train), self.batch(t.val)
        self.near = {id(b): b[0] + b[1] @ b[0] for b in (self.training_batch, self.judged)}
        self.group = torch.randint(self.groups, (len(t.train),))
        self.rest, self.head, wide = torch.nn.Module(), self.Leaky(2 * h * l, h, self.groups), 2 * h * l
        self.rest.first, self.rest.weight, self.rest.own = Affine(t.f, h), Affine(wide, 1), Affine(wide, t.classes)
        self.rest.layers = torch.nn.ModuleList([self.Leaky(2 * h, h, h) for _ in range(l)])
        self.memory = torch.nn.ParameterList([torch.nn.Parameter((2 * torch.rand(h, self.templates + 1) - 1) / 3)
                                              for _ in range(l)])
        net = torch.nn.Module()
        net.layers = torch.nn.ModuleList([self.Leaky(h if i else t.f, h, h) for i in range(l)])
        net.out = Affine(2 * h, t.classes)
        return net

    def before(self):
        adam = lambda lr, *nets: torch.optim.Adam([p for net in nets for p in net.parameters()], lr,
                                                  weight_decay=self.decay, foreach=True)
        self.of_weights, self.of_memory = adam(self.lr_weights, self.rest), adam(self.lr_weights, self.memory)
        self.of_groups = adam(self.lr, self.rest, self.memory, self.head)

    def read(self, h, sizes):
        return torch.cat([torch.segment_reduce(h, how, lengths=sizes) for how in ("max", "mean")], 1)

    def run(self, batch):
        (x, adj, sizes), h = batch, None
        for layer in self.net.layers:
            h = F.relu(layer(self.near[id(batch)] if h is None else h + adj @ h))
            h = F.dropout(h, 0.5, self.net.training)
        return self.net.out(self.read(h, sizes))

    def describe(self):
        x, adj, sizes = self.training_batch
        x, found = self.rest.first(x), []
        for layer, m in zip(self.rest.layers, self.memory):
            s = torch.sigmoid(F.relu(layer(torch.cat([adj @ x, x], 1))) @ m)
            x = F.softmax(torch.cat([s[:, :-1], torch.full((len(s), 1), 0.2)], 1), 1) @ m.t()
            found.append(x)
        return self.read(torch.cat(found, 1), sizes)

    def weights(self, e):
        w = torch.sigmoid(self.rest.weight(e))[:, 0]
        return w / w.detach().mean()

    def weigh(self, sign, optimiser, parameters):
        with torch.no_grad():
            each = F.cross_entropy(self.run(self.training_batch), self.y, reduction="none")
        e = self.describe()
        loss = sign * ((self.weights(e) * each).mean() - F.cross_entropy(self.rest.own(e), self.y))
        optimiser.zero_grad(set_to_none=True)
        loss.backward(inputs=parameters)
        torch.nn.utils.clip_grad_norm_(parameters, 2, foreach=True)
        optimiser.step()

    def epoch(self, optimiser, epoch):
        with torch.no_grad():
            w = self.weights(self.describe())
        each = F.cross_entropy(self.run(self.training_batch), self.y, reduction="none")
        self.step(optimiser, 0.2 * (w * each).mean() + 0.8 * each.mean())
        self.weigh(-1, self.of_weights, list(self.rest.parameters()))
        self.step(self.of_groups, F.cross_entropy(self.head(self.describe()), self.group))
        self.weigh(1, self.of_memory, list(self.memory))

    def validation(self):
        return (self.run(self.judged).argmax(1) == self.t.labels[self.t.val]).float().mean().item()


class SoltGnn(Graphs):
    """Heads and tails among the training graphs, which nearly fit a batch, are the same in every epoch, and so are the samples
    of heads."""
    width, layers, lr, decay, size, heads = 32, 2, 0.01, 5e-4, 64, 72

    class Layer(torch.nn.Module):
        def __init__(self, a, h):
            super().__init__()
            self.mlp = torch.nn.Sequential(Affine(a, h), torch.nn.BatchNorm1d(h), torch.nn.ReLU(), Affine(h, h))
            self.norm, self.eps = torch.nn.BatchNorm1d(h), torch.nn.Parameter(torch.zeros(()))

        def forward(self, x, adj):
            return F.relu(self.norm(self.mlp((1 + self.eps) * x + adj @ x)))

    def network(self):
        t, h, m = self.t, self.width, self.size
        large = torch.zeros(len(t.graphs) - 1, dtype=torch.bool)
        large[t.graphs.diff().argsort(descending=True)[:self.heads]] = True
        self.parts = [(self.batch(ids), t.labels[ids]) for ids in (t.train[large[t.train]], t.train[~large[t.train]])]
        self.judged, net = self.batch(t.val), torch.nn.Module()
        net.layers = torch.nn.ModuleList([self.Layer(h if i else t.f, h) for i in range(self.layers)])
        net.out = Affine(h, t.classes)
        drawn = lambda a, b: torch.nn.Parameter((2 * torch.rand(a, b) - 1) * math.sqrt(6 / (a + b)))
        self.memory = torch.nn.ParameterDict({"know": drawn(m, m), "m": drawn(m, h), "eta": drawn(m, 1), "wg": drawn(m, 1),
                                              "wb": drawn(m, 1), "ug": drawn(h, m), "ub": drawn(h, m)})
        return net

    def before(self):
        (_, adj, sizes), _ = self.parts[0]
        self.of_memory = self.optimiser(self.memory.parameters())
        self.first, self.graph = sizes.cumsum(0) - sizes, torch.repeat_interleave(torch.arange(len(sizes)), sizes)
        place = torch.arange(len(self.graph)) - self.first[self.graph]
        self.taken = place < (sizes // 2).clamp(max=18)[self.graph]
        inside = self.taken[adj.indices[0]] & self.taken[adj.indices[1]]
        at = self.taken.cumsum(0) - 1
        self.inside = Sparse(*at[adj.indices[:, inside]], torch.ones(int(inside.sum())), (int(self.taken.sum()),) * 2)

    def nodes(self, x, adj):
        for layer in self.net.layers:
            x = layer(x, adj)
        return x

    def recall(self, q):
        m = self.memory
        of = lambda u, w: F.leaky_relu((q @ u)[:, None] * w, 0.2)
        pattern = torch.addcmul(of(m["ub"], m["wb"]), of(m["ug"], m["wg"]) + 1, m["know"])
        return (F.leaky_relu(pattern @ m["m"], 0.2) * m["eta"]).sum(1)

    def run(self, x, adj, sizes):
        nodes = self.nodes(x, adj)
        whole = torch.segment_reduce(nodes, "sum", lengths=sizes)
        recalled = self.recall(whole)
        return F.dropout(self.net.out(whole + recalled), 0.5, self.net.training), nodes, whole, recalled

    @staticmethod
    def nearer(p, near, far):
        return -F.logsigmoid(F.cosine_similarity(p, near) - F.cosine_similarity(p, far)).mean()

    def loss(self, epoch):
        (x, adj, sizes), _ = self.parts[0]
        total, like, count = 0, [], len(sizes)
        for part, y in reversed(self.parts):  # heads last: their nodes are asked
            z, nodes, whole, recalled = self.run(*part)
            total = total + F.cross_entropy(z, y)
            like.append(F.cosine_similarity(whole, recalled))
        other = (torch.arange(count) + torch.randint(1, count, (count,))) % count
        rows = (torch.arange(len(self.graph)) - self.first[self.graph] < sizes[other][self.graph]).nonzero()[:, 0]
        some = lambda of: nodes[self.first[of] + (torch.rand(len(of)) * sizes[of]).long()]
        total = total + self.nearer(self.recall(nodes[rows]), some(self.graph[rows]), some(other[self.graph[rows]]))
        sums = lambda rows, of: torch.zeros(count, self.width).index_add(0, of, rows)
        part = sums(self.nodes(x[self.taken], self.inside), self.graph[self.taken])
        rest = self.graph[~self.taken]
        total = total + self.nearer(self.recall(part), sums(nodes[~self.taken], rest), sums(some(other[rest]), rest))
        return total + 1e-4 * torch.cat(like).mean()

    def epoch(self, optimiser, epoch):
        optimiser.param_groups[0]["lr"] = self.lr * 0.5 ** (epoch // 50)
        self.of_memory.zero_grad(set_to_none=True)
        super().epoch(optimiser, epoch)
        self.of_memory.step()

    def validation(self):
        return (self.run(*self.judged)[0].argmax(1) == self.t.labels[self.t.val]).float().mean().item()


METHODS = {"gcn": Gcn, "renode": ReNode, "tam": Tam, "graphsmote": GraphSmote, "rawlsgcn": RawlsGcn, "topoauc": TopoAuc,
           "drgcn": DrGcn, "hyperimba": HyperImba, "demo-net": DemoNet, "tail-gnn": TailGnn, "cold-brew": ColdBrew,
           "dpgnn": Dpgnn, "graphens": GraphEns, "graphsha": GraphSha, "imgagn": ImGagn, "pastel": Pastel, "gin": Graphs,
           "g2gnn": G2gnn, "imgkb": ImGkb, "topoimb": TopoImb, "solt-gnn": SoltGnn}
