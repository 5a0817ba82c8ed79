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


METHODS = {"gcn": Method, "s-model": SModel, "coteaching": Coteaching, "jocor": JoCoR, "apl": APL, "sce": SCE,
           "forward": Forward, "backward": Backward, "d-gnn": DGNN, "clnode": CLNode, "pignn": PIGNN, "cgnn": CGNN,
           "unionnet": UnionNet, "crgnn": CRGNN, "nrgnn": NRGNN}
