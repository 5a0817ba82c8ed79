# SPDX-License-Identifier: Apache-2.0
"""The training loops of the label noise study on Cora. A method that has several networks of one shape names the one
that it means: `z(net)`. Settings are those of the study."""
import math

import torch
import torch.nn.functional as F

import frame
from frame import GCN, MLP, Affine, Sparse, normalised

POINTS = 10, 60


def read(folder):
    """30 % of the labels are another one, drawn evenly; the public split."""
    task = frame.Task(folder)
    draw = torch.Generator().manual_seed(3000)
    flip = torch.rand(task.n, generator=draw) < 0.3
    shift = torch.randint(1, task.classes, (task.n,), generator=draw)
    task.labels = torch.where(flip, (task.labels + shift) % task.classes, task.labels)
    task.train, task.val = torch.arange(140), torch.arange(140, 640)
    task.adj = normalised(task.pairs, task.n)
    return task


class GIN(torch.nn.Module):
    def __init__(self, sizes):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(a, b) for a, b in zip(sizes, sizes[1:])])
        self.eps = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(())) for _ in self.layers])

    def forward(self, x, plain):
        """(1 + eps) x + A x, then the linear layer, whose product with the sparse features comes first."""
        for i, (layer, eps) in enumerate(zip(self.layers, self.eps)):
            h = x @ layer.weight.t()
            x = (1 + eps) * h + plain @ h + layer.bias
            x = F.relu(x) if i + 1 < len(self.layers) else x
        return x


class Method(frame.Method):
    """One GCN with cross-entropy, unless a method says otherwise."""

    def network(self):
        return GCN([self.t.f, self.hidden, self.t.classes])

    def z(self, net=None):
        return (net or self.net)(self.t.x, self.t.adj)

    def of_train(self, z):
        return z[self.t.train]


class SModel(Method):
    def __init__(self, task):
        super().__init__(task)
        c, r = task.classes, 0.1
        self.noise = torch.nn.ParameterList(
            [torch.nn.Parameter(torch.full((c, c), r / (c - 1)).fill_diagonal_(1 - r).log())])
        self.nets = [self.net, self.noise]

    def loss(self, epoch):
        s = (F.softmax(self.of_train(self.z()), 1) @ F.softmax(self.noise[0], 1)).clamp(1e-8, 1 - 1e-8)
        return F.cross_entropy(s.log(), self.y)


class Pair(Method):
    """Two networks of which the first predicts."""

    def __init__(self, task):
        super().__init__(task)
        self.second = self.network()
        self.nets = [self.net, self.second]

    def both(self):
        return self.of_train(self.z()), self.of_train(self.z(self.second))


class Coteaching(Pair):
    lr = 0.001

    def loss(self, epoch):
        z1, z2 = self.both()
        differ = z1.argmax(1) != z2.argmax(1)
        l1 = F.cross_entropy(z1[differ], self.y[differ], reduction="none")
        l2 = F.cross_entropy(z2[differ], self.y[differ], reduction="none")
        k = int((1 - min(epoch * 0.2 / 10, 0.2)) * len(l1))
        return (l1[l2.topk(k, largest=False).indices].mean() + l2[l1.topk(k, largest=False).indices].mean())


def divergence(a, b):
    return F.kl_div(F.log_softmax(b, 1), F.softmax(a, 1), reduction="none").sum(1)


class JoCoR(Pair):
    def loss(self, epoch):
        z1, z2 = self.both()
        plain = F.cross_entropy(z1, self.y, reduction="none") + F.cross_entropy(z2, self.y, reduction="none")
        each = 0.9 * plain + 0.1 * (divergence(z2, z1) + divergence(z1, z2))
        forget = 0.2 * min(epoch / 9, 1)
        return each.topk(int((1 - forget) * len(each)), largest=False).values.mean()


class APL(Method):
    epochs = 500

    def loss(self, epoch):
        z = self.of_train(self.z())
        q = F.log_softmax(z, 1)
        one_hot = F.one_hot(self.y, self.t.classes).float()
        reverse = -(q.exp().clamp(1e-7, 1) * one_hot.clamp(1e-4, 1).log()).sum(1)
        return (q.gather(1, self.y[:, None])[:, 0] / q.sum(1) + reverse).mean()


class SCE(Method):
    epochs = 500

    def loss(self, epoch):
        z = self.of_train(self.z())
        own = z.gather(1, self.y[:, None]).clamp(1e-4, 1)
        return 0.1 * F.cross_entropy(z, self.y) - own.log().mean()


class Forward(Method):
    """A first network estimates the transition."""
    pretrain = 200

    def before(self):
        first = self.network()
        optimiser = self.optimiser(first.parameters())
        first.train()
        for _ in range(self.pretrain):
            self.step(optimiser, F.cross_entropy(self.of_train(self.z(first)), self.y))
        with torch.no_grad():
            top, said = self.z(first).max(1)
            first.eval()
            read = F.softmax(self.z(first), 1)
        anchors = [torch.where(said == c, top, top.min()).argmax() for c in range(self.t.classes)]
        self.use(read[torch.stack(anchors)])

    def use(self, transition):
        self.transition = transition

    def loss(self, epoch):
        p = F.softmax(self.of_train(self.z()), 1).clamp(1e-5, 1 - 1e-5) @ self.transition
        return F.nll_loss(p.log(), self.y) / self.t.classes


class Backward(Forward):
    def use(self, transition):
        self.inverse = torch.linalg.pinv(transition.double()).float()[self.y]

    def loss(self, epoch):
        return -(self.inverse * F.log_softmax(self.of_train(self.z()), 1)).mean()


class DGNN(Backward):
    epochs = pretrain = 300

    def network(self):
        self.plain = normalised(self.t.pairs, self.t.n, False, None)
        return GIN([self.t.f, 64, 64, self.t.classes])

    def z(self, net=None):
        return (net or self.net)(self.t.x, self.plain)


class CLNode(Method):
    """Both networks and the curriculum; the ranking itself, which takes no time here, is by the first one's loss."""
    epochs, hidden = 500, 16

    def before(self):
        first, head = GCN([self.t.f, 16, 16]), torch.nn.Linear(16, self.t.classes)
        optimiser = self.optimiser(list(first.parameters()) + list(head.parameters()))
        for _ in range(500):
            own = self.of_train(head(F.log_softmax(self.z(first), 1)))
            self.step(optimiser, -own.gather(1, self.y[:, None]).mean())
        self.order = own.detach().gather(1, self.y[:, None])[:, 0].argsort(descending=True)

    def loss(self, epoch):
        used = self.order[:int(min(1, 0.5 ** (1 - epoch / 50)) * len(self.order))]
        return F.cross_entropy(self.of_train(self.z())[used], self.y[used])


class PIGNN(Pair):
    epochs, hidden = 400, 16

    def before(self):
        n, e = self.t.n, self.t.pairs.shape[1]
        self.near = torch.eye(n)
        self.near[self.t.pairs[0], self.t.pairs[1]] = 1
        self.scale, self.weight = n * n / (2 * (n * n - e)), torch.tensor([(n * n - e) / e])
        self.optimisers = [self.optimiser(net.parameters()) for net in self.nets]

    def pairs(self, z, weight=None):
        cost = F.binary_cross_entropy_with_logits(z @ z.t(), self.near, weight, pos_weight=self.weight)
        return self.scale * cost

    def loss(self, epoch):
        v = self.z(self.second)
        self.step(self.optimisers[1], self.pairs(v))
        weight = None
        if epoch > 200:
            with torch.no_grad():
                sure = torch.sigmoid(v @ v.t())
                weight = torch.where(self.near > 0, sure, 1 - sure)
        z = self.z()
        return F.cross_entropy(self.of_train(z), self.y) + self.pairs(z, weight)

    def parameters(self):
        return list(self.net.parameters())


class Views(Method):
    """Fewer edges in one view, fewer features in the other."""

    def fewer_edges(self, share):
        one_way = self.t.pairs[:, self.t.pairs[0] < self.t.pairs[1]]
        kept = one_way[:, torch.rand(one_way.shape[1]) >= share]
        both = torch.cat([kept, kept.flip(0)], 1)
        return normalised(both, self.t.n)


class CGNN(Views):
    def network(self):
        return GCN([self.t.f, 64, 64, self.t.classes])

    def z(self, net=None):
        return F.relu(self.net(self.t.x, self.t.adj))

    def contrast(self, a, b):
        a, b = F.normalize(a, eps=1e-8), F.normalize(b, eps=1e-8)
        within = torch.logsumexp(2 * a @ a.t(), 1).mean() + torch.logsumexp(2 * b @ b.t(), 1).mean()
        return within / 2 - 2 * (a.mean(0) * b.mean(0)).sum()

    def loss(self, epoch):
        x = self.t.x
        kept = torch.rand(len(x.values)) < 0.5
        masked = Sparse(x.indices[0, kept], x.indices[1, kept], x.values[kept], x.shape)
        a = F.relu(self.net(x, self.fewer_edges(0.5)))
        b = F.relu(self.net(masked, self.t.adj))
        order = torch.randperm(self.t.n)
        total = sum(self.contrast(a[rows], b[rows]) for rows in order.split(1000))
        return total + F.cross_entropy(self.of_train(a), self.y)


class UnionNet(Method):
    """Cross-entropy times a constant, which takes no time to know."""

    def loss(self, epoch):
        return 0.5 * F.cross_entropy(self.of_train(self.z()), self.y)


class CRGNN(Views):
    """Two views of the graph; the classes are read from the encoder."""

    def network(self):
        self.project = MLP([self.hidden, self.hidden, self.hidden], 0)
        self.classes = Affine(self.hidden, self.t.classes)
        return GCN([self.t.f, self.hidden, self.hidden])

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.project, self.classes]

    def z(self, net=None):
        return self.classes(self.net(self.t.x, self.t.adj))

    def view(self):
        first, last = self.net.layers
        kept = self.t.pairs[:, torch.rand(self.t.pairs.shape[1]) < 0.7]
        adj, columns = normalised(kept, self.t.n), (torch.rand(self.t.f, 1) < 0.7).float()
        h = F.relu(adj @ (self.t.x @ (first.w * columns)) + first.b)
        return adj @ (F.dropout(h, 0.5, self.net.training) @ last.w) + last.b

    def contrast(self, a, b, temperature=0.5):
        same = F.cosine_similarity(a, b) / temperature
        others = [torch.logaddexp(same + math.log(2), torch.logsumexp(v @ v.t() / temperature, 1)) for v in (a, b)]
        return ((others[0] + others[1]) / 2 - same).mean()

    def loss(self, epoch):
        a, b = self.view(), self.view()
        z = [self.of_train(self.classes(h)) for h in (a, b)]
        alike = z[0].argmax(1) == z[1].argmax(1)
        return F.cross_entropy(z[0][alike], self.y[alike]) + 0.2 * self.contrast(self.project(a), self.project(b))


class Symmetric(Sparse):
    """A symmetric matrix with values of this step: it is its own transpose."""

    def __init__(self, offsets, cols, values):
        n = len(offsets) - 1
        self.forward = self.backward = torch.sparse_csr_tensor(offsets, cols, values, (n, n))


class NRGNN(Method):
    """No prediction of the first epoch is sure enough to become a label, and so there are no edges to such nodes."""
    lr = 0.001

    def network(self):
        wide = [self.t.f, 128, self.t.classes]
        self.estimator, self.miner = GCN([self.t.f, 64, 64], 0), GCN(wide)
        return GCN(wide)

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.miner, self.estimator]

    def before(self):
        t, n = self.t, self.t.n
        rows = t.x.forward.to_dense()
        rows = F.normalize(rows)
        similar = (rows @ rows[t.train].t()).topk(50).indices
        near = torch.stack([torch.arange(n).repeat_interleave(50), t.train[similar.flatten()]])
        near = frame.both_ways(near, n)
        own, key = torch.arange(n).repeat(2, 1), lambda pairs: pairs[0] * n + pairs[1]
        keys = torch.unique(torch.cat([key(t.pairs), key(near), key(own)]))
        self.rows, self.cols = keys // n, keys % n
        self.offsets = torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(self.rows, minlength=n).cumsum(0)])
        self.fixed = torch.isin(keys, torch.cat([key(t.pairs), key(own)])).float()
        self.learnt = torch.isin(keys, key(near)).nonzero()[:, 0]
        self.once = t.pairs[:, t.pairs[0] < t.pairs[1]]

    def weigh(self, r):
        at = self.learnt
        values = self.fixed.clone()
        weight = (r[self.rows[at]] * r[self.cols[at]]).sum(1)
        values[at] += torch.where(weight > 0.1, weight, torch.zeros(()))
        root = torch.zeros(self.t.n).index_add(0, self.rows, values).rsqrt()
        return Symmetric(self.offsets, self.cols, root[self.rows] * values * root[self.cols])

    def reconstruction(self, r):
        far = torch.randint(self.t.n, (2, self.t.n * 50))
        far = far[:, far[0] < far[1]]
        product = lambda pairs: (r[pairs[0]] * r[pairs[1]]).sum(1)
        cost = product(far).square().sum() + (product(self.once) - 1).square().sum()
        return self.t.n / (far.shape[1] + self.once.shape[1]) * cost

    def z(self, net=None):
        return (net or self.net)(self.t.x, self.graph)

    def loss(self, epoch):
        r = self.estimator(self.t.x, self.t.adj)
        self.graph = self.weigh(r.detach())
        total = F.cross_entropy(self.of_train(self.z(self.miner)), self.y)
        return total + F.cross_entropy(self.of_train(self.z()), self.y) + 0.03 * self.reconstruction(r)


class Mlp(Method):
    """Relu comes before the norm, whose statistics are those of all nodes."""

    def network(self):
        return MLP([self.t.f, self.hidden, self.t.classes], norm=True)

    def z(self, net=None):
        return self.net(self.t.x)


class Gin(Method):
    def network(self):
        self.plain = normalised(self.t.pairs, self.t.n, False, None)
        return GIN([self.t.f, 64, self.t.classes])

    def z(self, net=None):
        return self.net(self.t.x, self.plain)


class TSS(Method):
    """Nodes enter in the order of their centrality; only the first network's training and the inverse take time."""
    epochs, ramp = 500, 400

    def before(self):
        first, n = self.network(), self.t.n
        self.train_first(first)
        with torch.no_grad():
            trusted = self.of_train(self.z(first)).argmax(1) == self.y
            rank = 0.15 * torch.linalg.inv(torch.eye(n) - 0.85 * self.t.adj.forward.to_dense())
        score = torch.zeros(n)
        for c in range(self.t.classes):
            own, other = (self.y == c).nonzero()[:, 0], (self.y != c).nonzero()[:, 0]
            weight = 1 / (rank[own][:, other] + 1e-16)
            through = ((rank[:, other] @ weight.t()) * rank[own].t()).mean(1)
            score += through / (through.max() - through.min())
        self.order = score[self.t.train].argsort()
        self.order = self.order[trusted[self.order]]

    def train_first(self, net):
        optimiser = self.optimiser(net.parameters())
        net.train()
        for _ in range(400):
            self.step(optimiser, F.cross_entropy(self.of_train(self.z(net)), self.y))

    def loss(self, epoch):
        used = self.order[:int(min(1, 0.25 + 0.75 * epoch / self.ramp) * len(self.order))]
        return F.cross_entropy(self.of_train(self.z())[used], self.y[used])


class LCAT(Method):
    """What attention compares was averaged over neighbours first, with learned gates; one sum makes both sides of it."""
    decay, heads, width, slope, dropout = 5e-3, 4, 128, 0.109551, 0.512017

    def network(self):
        t, k, h = self.t, self.heads, self.width
        own = torch.arange(t.n)
        pairs = torch.cat([t.pairs, torch.stack([own, own])], 1)
        self.rows, self.cols = pairs[:, torch.argsort(pairs[0] * t.n + pairs[1])]
        self.lengths = torch.bincount(self.rows, minlength=t.n)
        self.degree = torch.bincount(t.pairs[0], minlength=t.n)[:, None]
        self.mean = normalised(t.pairs, t.n, False, "rw")
        net = torch.nn.Module()
        net.first, net.both, net.value = Affine(t.f, h), Affine(h, 2 * k * h), Affine(h, k * h)
        net.out, net.bias = Affine(k * h, t.classes), torch.nn.Parameter(torch.zeros(k * h))
        net.attention = torch.nn.Parameter(torch.ones(k, h))
        net.a, net.b = (torch.nn.Parameter(torch.tensor(x)) for x in (math.log10(6), 2.2 - math.log10(6)))
        return net

    def z(self, net=None):
        n, k, h, net = self.t.n, self.heads, self.width, self.net
        x = F.dropout(net.first(self.t.x), self.dropout, net.training)
        outer, inner = torch.sigmoid(10 ** net.a - 6), torch.sigmoid(10 ** (2.2 - net.b) - 6)
        both = net.both(x)
        both = outer * (both + inner * (self.mean @ both)) / (1 + inner * self.degree)
        left, right = both.view(n, 2 * k, h).split(k, 1)
        score = (F.leaky_relu(right[self.rows] + left[self.cols], self.slope) * net.attention).sum(2)
        top = torch.segment_reduce(score.detach(), "max", lengths=self.lengths)
        weight = (score - top[self.rows]).exp()
        weight = weight / torch.zeros_like(top).index_add(0, self.rows, weight)[self.rows]
        spread = weight[..., None] * net.value(x).view(n, k, h)[self.cols]
        out = torch.zeros(n, k, h).index_add(0, self.rows, spread).view(n, k * h) + net.bias
        return net.out(F.dropout(out, self.dropout, net.training))


class R2LP(Method):
    """All n x n products are put together from those with few columns."""
    epochs, hidden, decay, rounds, dropout = 2000, 128, 1e-6, 200, 0.657773
    beta, gamma, alphas = 100.0, 0.708302, (0.171779, 0.760409, 0.665957)
    points = 200, 500

    def network(self):
        net = torch.nn.Module()
        self.walk = normalised(self.t.pairs, self.t.n, True, "rw")
        net.a, net.last = Affine(self.t.n, self.hidden), Affine(self.hidden, self.t.classes)
        net.order = torch.nn.Parameter(torch.ones(1))
        return net

    def before(self):
        t = self.t
        self.unknown, self.clean = torch.arange(t.n // 2), torch.zeros(0, dtype=torch.long)
        self.said, self.y_unknown = t.labels.clone(), torch.zeros(t.n, t.classes)
        self.y_unknown[self.unknown] = F.one_hot(t.labels[self.unknown], t.classes).float()

    def inverse(self, x):
        g, c = 1 - self.gamma, 1 / self.beta
        square = x.t() @ x
        return torch.linalg.inv(torch.eye(len(square)) / g ** 2 + c * square), square, g, c

    def both(self):
        net = self.net
        h = net.last(F.dropout(F.relu(net.a(self.walk)), self.dropout, net.training))
        x = h
        for _ in range(2):
            inverse, square, g, c = self.inverse(x)
            r = g * c * x - g * c * c * (x @ (inverse @ square))
            near = net.order * (self.walk @ r)
            own = x.t() @ r
            x = g * (x @ own) + self.beta * near - self.gamma * g * (h @ own) + self.gamma * h
        return x, h

    def z(self, net=None):
        return self.both()[0]

    @torch.no_grad()
    def choose(self):
        self.modes(False)
        (x, h), (one, two, three) = self.both(), self.alphas
        inverse, _, g, c = self.inverse(x)
        y = (1 - one) * (1 - two) * ((1 - three) * F.softmax(x, 1) + three * self.y_unknown)
        r = c * y - c * c * (x @ (inverse @ (x.t() @ y)))
        own = x.t() @ r
        f = y + one * (g * (x @ own) + self.beta * (self.walk @ r) - self.gamma * g * (h @ own))
        top, label = f[self.unknown].max(1)
        moved = top.topk(len(self.unknown) // 2).indices
        self.said[self.unknown[moved]] = label[moved]
        self.clean = torch.cat([self.clean, self.unknown[moved]])
        left = torch.ones(len(self.unknown), dtype=torch.bool)
        left[moved] = False
        self.unknown = self.unknown[left]
        self.modes(True)

    def loss(self, epoch):
        if epoch and epoch % self.rounds == 0:
            self.choose()
        z = self.z()
        return F.cross_entropy(z[self.clean], self.said[self.clean]) if len(self.clean) else 0 * z.sum()


class RNCGLN(Method):
    """A transformer of linear attention on features, and every pair of nodes compared. Labels and graph as at the start: what
    changes them takes no time here."""
    epochs, lr, heads, dim, wide, drop = 500, 5e-4, 8, 128, 2048, 0.4
    points = 1, 3

    class Norm(torch.nn.Module):
        def __init__(self, width):
            super().__init__()
            self.a, self.b = torch.nn.Parameter(torch.ones(width)), torch.nn.Parameter(torch.zeros(width))

        def forward(self, x):
            std, mean = torch.std_mean(x, 1, keepdim=True)
            return self.a * (x - mean) / (std + 1e-6) + self.b

    def network(self):
        self.x = self.t.x.forward.to_dense()
        a = normalised(self.t.pairs, self.t.n, False, None).forward
        square = a.to_dense()
        square = a @ square
        self.graph = a @ (a @ square)
        net, d = torch.nn.Module(), self.dim
        net.norm, net.first = self.Norm(self.t.f), Affine(self.t.f, d)
        net.alike, net.out = self.Norm(d), Affine(d, self.t.classes)
        net.blocks = torch.nn.ModuleList()
        for _ in range(2):
            block = torch.nn.Module()
            block.before, block.between = self.Norm(d), self.Norm(d)
            block.qkv, block.join = Affine(d, 3 * d), Affine(d, d)
            block.up, block.down = Affine(d, self.wide), Affine(self.wide, d)
            net.blocks.append(block)
        return net

    def attend(self, block, x):
        q, k, v = block.qkv(block.before(x)).view(self.t.n, 3, self.heads, -1).permute(1, 2, 0, 3)
        held = F.softmax(k, 1).transpose(1, 2) @ v
        return block.join((F.softmax(q, 2) @ held).transpose(0, 1).reshape(self.t.n, self.dim))

    def z(self, net=None):
        net = self.net
        x = F.dropout(net.first(net.norm(self.x)), self.drop, net.training)
        self.unit = F.normalize(net.alike(x))
        for block in net.blocks:
            x = x + self.attend(block, x)
            h = F.dropout(F.relu(block.up(block.between(x))), self.drop, net.training)
            x = x + F.dropout(block.down(h), self.drop, net.training)
        return F.softmax(F.relu(net.out(x)), 1)

    def loss(self, epoch):
        p = self.z()
        likeness = (self.unit @ self.unit.t()).fill_diagonal_(0).exp()
        near = (likeness * self.graph).sum(1) / likeness.sum(1)
        return F.cross_entropy(self.of_train(p), self.y) - (near + 1e-8).log().mean()


class Directed(Sparse):
    """Values of this step on a fixed pattern, of which the transpose is kept."""

    def __init__(self, of, values):
        n = of.n
        self.forward = torch.sparse_csr_tensor(of.offsets, of.cols, values, (n, n))
        self.backward = torch.sparse_csr_tensor(of.back_offsets, of.back_cols, values[of.back], (n, n))


class Pattern:
    """The entries of some directed pairs, sorted, with their places in the transpose."""

    def __init__(self, keys, n):
        self.n, self.rows, self.cols = n, keys // n, keys % n
        starts = lambda ends: torch.cat([torch.zeros(1, dtype=torch.long), torch.bincount(ends, minlength=n).cumsum(0)])
        self.offsets, self.back_offsets = starts(self.rows), starts(self.cols)
        self.back = torch.argsort(self.cols * n + self.rows)
        self.back_cols = self.rows[self.back]


class RTGNN(NRGNN):
    """Two networks over one graph with weighted candidates, both judged after each epoch."""
    lr, far, tau = 0.01, 100, 0.05

    def before(self):
        t, n, train = self.t, self.t.n, self.t.train
        unit = F.normalize(t.x.forward.to_dense())
        others = torch.ones(n, dtype=torch.bool)
        others[train] = False
        self.others = others.nonzero()[:, 0]
        alike = unit[train] @ unit[self.others].t()
        found = [(train, self.others, alike), (self.others, train, alike.t())]
        near = torch.cat([torch.stack([a.repeat_interleave(100), b[s.topk(100).indices.flatten()]]) for a, b, s in found], 1)
        own, key = torch.arange(n).repeat(2, 1), lambda pairs: pairs[0] * n + pairs[1]
        keys = torch.unique(torch.cat([key(t.pairs), key(near), key(own)]))
        self.pattern = p = Pattern(keys, n)
        self.own, self.fixed = p.rows == p.cols, torch.isin(keys, key(t.pairs)).float()
        self.learnt = torch.isin(keys, key(near)).nonzero()[:, 0]
        in_train = torch.zeros(n, dtype=torch.bool)
        in_train[train] = True
        self.to_train = (in_train[p.cols] & ~self.own).nonzero()[:, 0]
        self.once = t.pairs[:, t.pairs[0] < t.pairs[1]]

    def weigh(self, r):
        p, at = self.pattern, self.learnt
        values = self.fixed.clone()
        weight = (r[p.rows[at]] * r[p.cols[at]]).sum(1)
        values[at] += torch.where(weight >= self.tau, weight, torch.zeros(()))
        self.weights, values = values, values + self.own
        root = torch.zeros(p.n).index_add(0, p.rows, values).rsqrt()
        return Directed(p, root[p.rows] * values * root[p.cols])

    def reconstruction(self, r):
        far = torch.randint(self.t.n, (2, self.t.n * self.far))
        far = far[:, far[0] < far[1]]
        product = lambda pairs: (r[pairs[0]] * r[pairs[1]]).sum(1)
        cost = product(far).square().sum() + (product(self.once) - 1).square().sum()
        return self.t.n / (far.shape[1] + self.once.shape[1]) * cost

    def agree(self, q1, q2):
        return 0.1 * (divergence_of(q2, q1).mean() + divergence_of(q1, q2).mean())

    def of_labels(self, q1, q2, epoch):
        n, y = len(self.y), self.y
        each = F.nll_loss(q1, y, reduction="none") + F.nll_loss(q2, y, reduction="none")
        if not epoch:
            return each.mean()
        with torch.no_grad():
            rate = max(1 - 0.5 * epoch / self.epochs, float((each < each.mean()).float().mean()))
            clean = torch.zeros(n, dtype=torch.bool)
            clean[each.argsort()[:int(rate * n)]] = True
            said = q1.argmax(1)
        sure = (q1.max(1).values + q2.max(1).values).exp()
        bound = 1 - (1 - min(0.5, 1 / n)) * epoch / self.epochs
        mended = ~clean & (said != y) & (said == q2.argmax(1)) & (sure > bound)
        corrected = F.nll_loss(q1, said, reduction="none") + F.nll_loss(q2, said, reduction="none")
        part = torch.where(clean, each, torch.where(mended, sure ** (0.5 - 0.5 * epoch / self.epochs) * corrected, 0.1 * each))
        return part.sum() / n + self.agree(q1, q2)

    def of_others(self, q1, q2):
        said = q1.argmax(1)
        with torch.no_grad():
            chosen = ((said == q2.argmax(1)) & ((q1.max(1).values + q2.max(1).values).exp() > 0.95 ** 2)).nonzero()[:, 0]
        if not len(chosen):
            return 0
        q1, q2, said = q1[chosen], q2[chosen], said[chosen]
        return F.nll_loss(q1, said) + F.nll_loss(q2, said) + self.agree(q1, q2)

    def within(self, qs):
        p = self.pattern
        with torch.no_grad():
            at = self.to_train[self.weights[self.to_train] > 0]
            rows, cols = p.rows[at], p.cols[at]
            total = torch.zeros(p.n).index_add(0, p.cols, self.weights).clamp(min=1e-12)
            share = (self.weights[at] / total[cols]).sum() / len(self.y)
        return share * sum(divergence_of(q.detach()[rows], q[cols]).mean() for q in qs)

    def loss(self, epoch):
        r = F.normalize(self.estimator(self.t.x, self.t.adj))
        self.graph = self.weigh(r.detach())
        qs = [F.log_softmax(self.z(net), 1) for net in (self.net, self.miner)]
        labels = self.of_labels(*(self.of_train(q) for q in qs), epoch)
        return labels + self.reconstruction(r) + self.of_others(*(q[self.others] for q in qs)) + 0.1 * self.within(qs)

    def validation(self):
        said = [self.z(net)[self.t.val].argmax(1) for net in (self.net, self.miner)]
        return sum((s == self.t.labels[self.t.val]).float().mean().item() for s in said) / 2


def divergence_of(a, b):
    """KL of two rows of logarithms."""
    return F.kl_div(b, a, reduction="none", log_target=True).sum(1)


class CP(Method):
    """Embeddings from random walks, their clusters as a second target. One training is timed: what precedes the epochs is all."""
    clusters, points = 8, (200, 200)

    def network(self):
        self.heads = torch.nn.ModuleList([torch.nn.Linear(self.hidden, k) for k in (self.t.classes, self.clusters)])
        return GCN([self.t.f, self.hidden, self.hidden])

    def __init__(self, task):
        super().__init__(task)
        self.nets = [self.net, self.heads]

    def walks(self, starts):
        walk = [starts]
        for _ in range(19):
            at = walk[-1]
            step = self.first[at] + (torch.rand(len(at)) * self.degree[at]).long()
            walk.append(torch.where(self.degree[at] > 0, self.ends[step.clamp(max=len(self.ends) - 1)], at))
        return torch.stack(walk, 1)

    def around(self, table, walks):
        """Of every window of ten, its first with the nine others, all from one look at the table."""
        e = table(walks)
        near = e.unfold(1, 10, 1)
        return (e[:, :11, None] @ near[..., 1:])[:, :, 0]

    def before(self):
        n = self.t.n
        order = torch.argsort(self.t.pairs[0])
        self.ends, self.degree = self.t.pairs[1][order], torch.bincount(self.t.pairs[0], minlength=n)
        self.first = self.degree.cumsum(0) - self.degree
        table = torch.nn.Embedding(n, 128, sparse=True)
        optimiser = torch.optim.SparseAdam(table.parameters(), self.lr)
        for _ in range(100):
            for starts in torch.randperm(n).split(128):
                starts = starts.repeat(10)
                other = torch.cat([starts[:, None], torch.randint(n, (len(starts), 19))], 1)
                near, far = self.around(table, self.walks(starts)), self.around(table, other)
                self.step(optimiser, -F.logsigmoid(near).mean() - F.logsigmoid(-far).mean())
        with torch.no_grad():
            self.community = self.grouped(table.weight)[self.t.train]

    def grouped(self, x):
        """Lloyd's means, ten times from random rows."""
        best = None
        for _ in range(10):
            centres = x[torch.randperm(len(x))[:self.clusters]]
            for _ in range(300):
                group = torch.cdist(x, centres).argmin(1)
                size = torch.bincount(group, minlength=self.clusters).clamp(min=1)[:, None]
                moved = torch.zeros_like(centres).index_add(0, group, x) / size
                if (moved - centres).square().sum() <= 1e-4 * x.var(0).mean():
                    break
                centres = moved
            inertia = (x - centres[group]).square().sum()
            if best is None or inertia < best[0]:
                best = inertia, group
        return best[1]

    def z(self, net=None):
        return self.heads[0](self.net(self.t.x, self.t.adj))

    def loss(self, epoch):
        h = self.of_train(self.net(self.t.x, self.t.adj))
        return F.cross_entropy(self.heads[0](h), self.y) + 0.2 * F.cross_entropy(self.heads[1](h), self.community)


METHODS = {"gcn": Method, "mlp": Mlp, "gin": Gin, "s-model": SModel, "coteaching": Coteaching, "jocor": JoCoR, "apl": APL,
           "sce": SCE, "forward": Forward, "backward": Backward, "d-gnn": DGNN, "clnode": CLNode, "tss": TSS,
           "pignn": PIGNN, "cgnn": CGNN, "unionnet": UnionNet, "crgnn": CRGNN, "nrgnn": NRGNN, "rtgnn": RTGNN,
           "rncgln": RNCGLN, "r2lp": R2LP, "lcat": LCAT, "cp": CP}
