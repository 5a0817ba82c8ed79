# SPDX-License-Identifier: Apache-2.0
"""Methods of the imbalance study on nodes of Cora: one tenth trains."""
import math

import torch
import torch.nn.functional as F

from frame import GCN, Affine, Method, Sparse, Task, both_ways, normalised, without_loops

POINTS = 10, 60


def read(folder):
    """The features of a node sum to one."""
    task = Task(folder, (0.1, 0.1))
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


METHODS = {"gcn": Gcn, "renode": ReNode, "tam": Tam, "graphsmote": GraphSmote}
