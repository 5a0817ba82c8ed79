# SPDX-License-Identifier: Apache-2.0
"""The training loops of the label noise study in PyTorch, for `tools/bench --study noisygl`.

Each method is written from its formulas and given what PyTorch can do for it: features and graph are sparse CSR
tensors, normalised once; nothing is computed twice; evaluation records no gradient. A method is a class with
`nets`, `loss(epoch)` (one step's loss), `scores()` (in eval mode) and, where it has one, `epoch(epoch)` for more than
one step; `before()` is what it does ahead of its epochs. Settings are those of the study on Cora.
"""
import math

import torch
import torch.nn.functional as F


def sparse_rows(rows, cols, values, shape):
    return torch.sparse_coo_tensor(torch.stack([rows, cols]), values, shape).coalesce().to_sparse_csr()


def normalised(adjacency_pairs, weights, n):
    """D^-1/2 (A + I) D^-1/2 by row sums."""
    own = torch.arange(n)
    rows, cols = torch.cat([adjacency_pairs[0], own]), torch.cat([adjacency_pairs[1], own])
    values = torch.cat([weights, torch.ones(n)])
    degree = torch.zeros(n).index_add(0, rows, values).rsqrt()
    return sparse_rows(rows, cols, degree[rows] * values * degree[cols], (n, n))


class Task:
    def __init__(self, x, pairs, labels, train, val):
        self.x, self.pairs, self.labels, self.train, self.val = x, pairs, labels, train, val
        self.n, self.f, self.classes = x.shape[0], x.shape[1], int(labels.max()) + 1
        self.adj = normalised(pairs, torch.ones(pairs.shape[1]), self.n)


def glorot(rows, cols):
    return torch.nn.Parameter(torch.empty(rows, cols).uniform_(-1, 1) * math.sqrt(6 / (rows + cols)))


class GCN(torch.nn.Module):
    def __init__(self, sizes, dropout=0.5):
        super().__init__()
        self.w = torch.nn.ParameterList([glorot(a, b) for a, b in zip(sizes, sizes[1:])])
        self.b = torch.nn.ParameterList([torch.nn.Parameter(torch.zeros(b)) for b in sizes[1:]])
        self.dropout = dropout

    def forward(self, x, adj):
        for i, (w, b) in enumerate(zip(self.w, self.b)):
            x = adj @ (x @ w) + b
            if i + 1 < len(self.w):
                x = F.dropout(F.relu(x), self.dropout, self.training)
        return x


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


class Method:
    """One GCN with cross-entropy, unless a method says otherwise."""
    epochs, hidden, lr, decay = 200, 64, 0.01, 5e-4

    def __init__(self, task):
        self.t, self.y = task, task.labels[task.train]
        self.net = self.network()
        self.nets = [self.net]

    def network(self):
        return GCN([self.t.f, self.hidden, self.t.classes])

    def before(self):
        pass

    def z(self, net=None):
        return (net or self.net)(self.t.x, self.t.adj)

    def of_train(self, z):
        return z[self.t.train]

    def loss(self, epoch):
        return F.cross_entropy(self.of_train(self.z()), self.y)

    def scores(self):
        return self.z()

    def parameters(self):
        return [p for net in self.nets for p in net.parameters()]

    def optimiser(self, parameters):
        return torch.optim.Adam(parameters, self.lr, weight_decay=self.decay)

    def fit(self, epochs):
        self.before()
        optimiser, best, kept = self.optimiser(self.parameters()), -1, None
        for epoch in range(epochs):
            for net in self.nets:
                net.train()
            self.step(optimiser, self.loss(epoch))
            for net in self.nets:
                net.eval()
            with torch.no_grad():
                right = (self.scores()[self.t.val].argmax(1) == self.t.labels[self.t.val]).float().mean().item()
            if right > best:
                best, kept = right, [p.detach().clone() for p in self.parameters()]
        return best, kept

    @staticmethod
    def step(optimiser, loss):
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()


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
        ones = torch.ones(self.t.pairs.shape[1])
        self.plain = sparse_rows(self.t.pairs[0], self.t.pairs[1], ones, (self.t.n, self.t.n))
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
        return normalised(both, torch.ones(both.shape[1]), self.t.n)


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
        masked = torch.sparse_csr_tensor(x.crow_indices(), x.col_indices(),
                                         x.values() * (torch.rand(x.values().shape) < 0.5), x.shape)
        a = F.relu(self.net(x, self.fewer_edges(0.5)))
        b = F.relu(self.net(masked, self.t.adj))
        order = torch.randperm(self.t.n)
        total = sum(self.contrast(a[rows], b[rows]) for rows in order.split(1000))
        return total + F.cross_entropy(self.of_train(a), self.y)


METHODS = {"gcn": Method, "s-model": SModel, "coteaching": Coteaching, "jocor": JoCoR, "apl": APL, "sce": SCE,
           "forward": Forward, "backward": Backward, "d-gnn": DGNN, "clnode": CLNode, "pignn": PIGNN, "cgnn": CGNN}
