# SPDX-License-Identifier: Apache-2.0
"""The anomaly study's networks on one graph: full batches, 32 units, weighted classes. An epoch's logits are scored before
its step, so that it has one pass. Sums over neighbours are sparse products; what a product cannot say (attention, largest and
smallest neighbours) is a reduction over the edges in the order of their ends."""
import math

import torch
import torch.nn.functional as F

from frame import Affine, MLP, Method, Task, normalised

POINTS = 2, 8


def read(folder):
    """With a loop on every node."""
    task = Task(folder, (0.4, 0.2))
    own = torch.arange(task.n)
    pairs = torch.cat([task.pairs[:, task.pairs[0] != task.pairs[1]], torch.stack([own, own])], 1)
    task.pairs = pairs[:, torch.argsort(pairs[0] * task.n + pairs[1])]
    return task


def average_precision(score, label):
    label = label[torch.argsort(score, descending=True)].float()
    found = label.cumsum(0)
    return ((found / torch.arange(1, len(label) + 1)) * label).sum() / label.sum()


class Graph(Method):
    epochs, hidden, decay = 200, 32, 0

    def __init__(self, task):
        y = task.labels[task.train].float()
        self.weights = torch.tensor([1.0, float((1 - y).sum() / y.sum())])
        super().__init__(task)

    def sym(self):
        return normalised(self.t.pairs, self.t.n, False)

    def mean(self):
        return normalised(self.t.pairs, self.t.n, False, "rw")

    def edges(self):
        self.cols = self.t.pairs[1]
        self.lengths = torch.bincount(self.t.pairs[0], minlength=self.t.n)
        self.rows = self.t.pairs[0]

    def reduced(self, values, how):
        return torch.segment_reduce(values, how, lengths=self.lengths)

    def attention(self, scores, values):
        """Softmax over the edges of each node, then the weighted sum."""
        top = self.reduced(scores.detach(), "max")
        e = (scores - top[self.rows]).exp()
        alpha = e / torch.zeros_like(top).index_add(0, self.rows, e)[self.rows]
        spread = alpha[..., None] * values[self.cols]
        return torch.zeros_like(values).index_add(0, self.rows, spread)

    def loss(self, epoch):
        self.last = self.z()
        return F.cross_entropy(self.last[self.t.train], self.y, self.weights)

    def validation(self):
        return average_precision(self.last[self.t.val, 1] - self.last[self.t.val, 0], self.t.labels[self.t.val]).item()


def layers(**parts):
    net = torch.nn.Module()
    for name, part in parts.items():
        setattr(net, name, part)
    return net


class Mlp(Graph):
    def network(self):
        return MLP([self.t.f, 32, 2], 0)

    def z(self):
        return self.net(self.t.x)


class Gcn(Graph):
    def network(self):
        self.adj = self.sym()
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))

    def z(self):
        n, x = self.net, self.t.x
        for layer in (n.a, n.b):
            narrow = x.shape[1] <= layer.w.shape[1]
            h = (self.adj @ x) @ layer.w if narrow else self.adj @ (x @ layer.w)
            x = F.relu(h + layer.b)
        return n.out(x)


class Sgc(Graph):
    def network(self):
        adj = self.sym()
        self.x = adj @ (adj @ self.t.x)
        return Affine(self.t.f, 2)

    def z(self):
        return self.net(self.x)


class Gin(Graph):
    def network(self):
        self.adj = self.mean()
        self.first = self.t.x + self.adj @ self.t.x
        return layers(a=Affine(self.t.f, 32), b=Affine(32, 2))

    def z(self):
        h = F.relu(self.net.a(self.first))
        h = h @ self.net.b.w
        return h + self.adj @ h + self.net.b.b


class Sage(Graph):
    """The pooling form."""

    def network(self):
        self.edges()
        f = self.t.f
        return layers(p1=Affine(f, f), s1=Affine(f, 32), n1=Affine(f, 32, False), p2=Affine(32, 32), s2=Affine(32, 32),
                      n2=Affine(32, 32, False), out=Affine(32, 2))

    def z(self):
        n, h = self.net, self.t.x
        for pool, own, near in ((n.p1, n.s1, n.n1), (n.p2, n.s2, n.n2)):
            top = self.reduced(F.relu(pool(h))[self.cols], "max")
            h = F.relu(own(h) + near(top))
        return n.out(h)


class Gat(Graph):
    ego = False

    def network(self):
        self.edges()
        net = layers(first=Affine(self.t.f, 32), out=Affine(32, 2), blocks=torch.nn.ModuleList())
        for _ in range(2):
            net.blocks.append(layers(u=Affine(32, 32), src=Affine(32, 4), dst=Affine(32, 4, False),
                                     a=Affine(64 if self.ego else 32, 32), b=Affine(32, 32)))
        return net

    def z(self):
        h = F.gelu(self.net.first(self.t.x))
        for b in self.net.blocks:
            u = b.u(h)
            e = F.leaky_relu(b.src(u)[self.cols] + b.dst(u)[self.rows], 0.2)
            m = self.attention(e, u.view(-1, 8, 4).transpose(1, 2).contiguous()).transpose(1, 2).reshape(-1, 32)
            h = h + b.b(F.gelu(b.a(torch.cat([u, m], 1) if self.ego else m)))
        return self.net.out(h)


class GatSep(Gat):
    ego = True


class Gt(Graph):
    def network(self):
        self.edges()
        net = layers(first=Affine(self.t.f, 32), out=Affine(32, 2), blocks=torch.nn.ModuleList())
        for _ in range(2):
            net.blocks.append(layers(qkv=Affine(32, 96), o=Affine(32, 32), a=Affine(32, 32), b=Affine(32, 32)))
        return net

    def z(self):
        h = F.gelu(self.net.first(self.t.x))
        for b in self.net.blocks:
            q, k, v = (part.reshape(-1, 4, 8) for part in b.qkv(h).split(32, 1))
            e = (q[self.cols] * k[self.rows]).sum(2) / math.sqrt(8)
            h = h + b.o(self.attention(e, v).reshape(-1, 32))
            h = h + b.b(F.gelu(b.a(h)))
        return self.net.out(h)


class Pna(Graph):
    def network(self):
        self.adj = self.mean()
        self.edges()
        return layers(first=Affine(self.t.f, 32), a=Affine(128, 32), b=Affine(128, 32), out=Affine(32, 2))

    def z(self):
        h = self.net.first(self.t.x)
        for layer in (self.net.a, self.net.b):
            means = self.adj @ torch.cat([h, h * h], 1)
            mean, square = means.split(32, 1)
            there = h[self.cols]
            std = (F.relu(square - mean * mean) + 1e-5).sqrt()
            h = F.relu(layer(torch.cat([mean, self.reduced(there, "max"), self.reduced(there, "min"), std], 1)))
        return self.net.out(h)


class Bwgnn(Graph):
    """The powers of L are shared by the three filters."""

    def network(self):
        self.adj = self.sym()
        return layers(first=MLP([self.t.f, 32, 32], 0), head=MLP([96, 32, 2], 0))

    def z(self):
        h = F.relu(self.net.first(self.t.x))
        l1 = h - self.adj @ h
        l2 = l1 - self.adj @ l1
        return self.net.head(torch.cat([3 * h - 3 * l1 + 0.75 * l2, 3 * l1 - 1.5 * l2, 0.75 * l2], 1))


class Bernnet(Graph):
    def network(self):
        self.adj = self.sym()
        net = layers(first=MLP([self.t.f, 32, 32], 0), out=Affine(32, 2))
        net.theta = torch.nn.Parameter(torch.ones(3))
        return net

    def z(self):
        h = F.relu(self.net.first(self.t.x))
        h = h + self.adj @ h
        g = h + self.adj @ h
        t = F.relu(self.net.theta)
        return self.net.out(F.relu(0.25 * t[0] * g + (0.5 * t[1] + 0.25 * t[2]) * (g - self.adj @ g)))


class Amnet(Graph):
    """G and L G are the same for the three filters."""

    def network(self):
        self.adj = self.sym()
        net = layers(a=Affine(self.t.f, 32), b=Affine(32, 32), out=Affine(32, 2))
        net.theta = torch.nn.Parameter(torch.ones(3, 3))
        return net

    def z(self):
        n = self.net
        h = n.b(F.relu(n.a(self.t.x)))
        g = h + self.adj @ h
        g = g + self.adj @ g
        lg, t = g - self.adj @ g, F.relu(n.theta)
        f = torch.stack([0.25 * t[m, 0] * g + (0.5 * t[m, 1] + 0.25 * t[m, 2]) * lg for m in range(3)])
        p = torch.tanh(n.b(h))
        alpha = F.softmax((torch.tanh(f @ n.b.w + n.b.b) * p).sum(2), 0)
        return n.out((alpha[..., None] * f).sum(0))


class Cheb(Graph):
    def network(self):
        self.adj = self.sym()
        return layers(a=Affine(self.t.f, 32), c=Affine(64, 32), out=Affine(32, 2))

    def z(self):
        h = F.relu(self.net.a(self.t.x))
        return self.net.out(F.relu(self.net.c(torch.cat([h, -(self.adj @ h)], 1))))


METHODS = {"mlp": Mlp, "gcn": Gcn, "sgc": Sgc, "gin": Gin, "graphsage": Sage, "gat": Gat, "gat-sep": GatSep, "gt": Gt,
           "pna": Pna, "bwgnn": Bwgnn, "bernnet": Bernnet, "amnet": Amnet, "chebnet": Cheb}
