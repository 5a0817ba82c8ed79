# SPDX-License-Identifier: Apache-2.0
"""The methods of the heterophily study, full batches, with the values of its protocol `bench` or `acm`."""
import math

import torch
import torch.nn.functional as F

from frame import Affine, MLP, Method, Task, both_ways, dropped, normalised, without_loops

POINTS = 5, 25


def read(folder):
    task = Task(folder, (0.6, 0.2))
    task.pairs = without_loops(both_ways(task.pairs, task.n))
    return task


class Graph(Method):
    """Graphs that several methods want; each makes its own."""
    epochs, decay, dropout = 1000, 1e-4, 0.5

    def sym(self, loops=True):
        return normalised(self.t.pairs, self.t.n, loops)

    def rw(self):
        return normalised(self.t.pairs, self.t.n, True, "rw")

    def plain(self, loops=False):
        return normalised(self.t.pairs, self.t.n, loops, None)

    def z(self):
        return self.net(self.t.x)


class Gcn(Graph):
    epochs = 5000
    sizes = property(lambda self: [self.t.f, 64, self.t.classes])

    def network(self):
        self.adj = self.rw()
        return MLP(self.sizes, self.dropout, first=True, bias=False)

    def z(self):
        x = dropped(self.t.x, self.dropout, self.net.training)
        first, last = self.net.layers
        h = F.dropout(F.relu(self.adj @ first(x)), self.dropout, self.net.training)
        return self.adj @ last(h)


class Sgc(Graph):
    """The features are spread once."""
    epochs, hops = 5000, 1

    def network(self):
        dense = self.t.x.forward.to_dense()
        for _ in range(self.hops):
            dense = self.rw() @ dense
        self.x = dense.contiguous()
        return Affine(self.t.f, self.t.classes, bias=False)

    def z(self):
        return self.net(self.x)


class Mlp1(Graph):
    epochs = 5000

    def network(self):
        return Affine(self.t.f, self.t.classes, bias=False)


class Mlp2(Graph):
    epochs = 5000

    def network(self):
        return MLP([self.t.f, 64, self.t.classes], first=True, bias=False)


class Appnp(Graph):
    def network(self):
        self.adj = self.sym()
        return MLP([self.t.f, 64, self.t.classes], norm=True)

    def z(self):
        z = h = self.net(self.t.x)
        for _ in range(10):
            z = torch.lerp(self.adj @ z, h, 0.1)
        return z


class Gprgnn(Graph):
    def network(self):
        self.adj = self.sym()
        net = MLP([self.t.f, 64, self.t.classes], first=True)
        net.gamma = torch.nn.Parameter(0.9 * 0.1 ** torch.arange(11.0))
        return net

    def z(self):
        h = F.dropout(self.net(self.t.x), 0.5, self.net.training)
        z = self.net.gamma[0] * h
        for k in range(1, 11):
            h = self.adj @ h
            z = z + self.net.gamma[k] * h
        return z


class Bernnet(Graph):
    """Horner's form of the Bernstein sum: 2 K products instead of K (K + 3) / 2."""
    order = 10

    def network(self):
        self.adj = self.sym(loops=False)
        net = MLP([self.t.f, 64, self.t.classes], first=True)
        net.theta = torch.nn.Parameter(torch.ones(self.order + 1))
        return net

    def z(self):
        k = self.order
        t = [F.dropout(self.net(self.t.x), 0.5, self.net.training)]
        for _ in range(k):
            t.append(t[-1] + self.adj @ t[-1])
        theta = F.relu(self.net.theta) * torch.tensor([math.comb(k, i) / 2 ** k for i in range(k + 1)])
        z = theta[k] * t[0]
        for i in range(k - 1, -1, -1):
            z = theta[i] * t[k - i] + (z - self.adj @ z)
        return z


class Fagcn(Graph):
    lr, decay = 0.002, 5e-4

    def network(self):
        n = self.t.n
        self.rows, self.cols = self.t.pairs
        root = torch.bincount(self.rows, minlength=n).clamp(min=1).float().rsqrt()
        self.scale = root[self.rows] * root[self.cols]
        net = torch.nn.Module()
        net.first, net.last = Affine(self.t.f, 64), Affine(64, self.t.classes)
        net.gates = torch.nn.ModuleList([Affine(64, 2) for _ in range(2)])
        return net

    def z(self):
        net = self.net
        h = F.relu(net.first(dropped(self.t.x, 0.5, net.training)))
        raw = h = F.dropout(h, 0.5, net.training)
        for gate in net.gates:
            s = gate(h)
            weight = torch.tanh(s[self.rows, 0] + s[self.cols, 1]) * self.scale
            weight = F.dropout(weight, 0.5, net.training)
            h = 0.3 * raw + torch.zeros_like(h).index_add(0, self.rows, weight[:, None] * h[self.cols])
        return net.last(h)


class Fsgnn(Graph):
    """The seven matrices are made once; they are one product, block by block."""
    decay, hops = 5e-7, 3

    def network(self):
        dense = self.t.x.forward.to_dense()
        parts = [dense]
        for adj in (self.plain(), self.plain(True)):
            x = dense
            for _ in range(self.hops):
                x = adj @ x
                parts.append(x)
        self.parts = [x.contiguous() for x in parts]
        net = torch.nn.Module()
        net.first = torch.nn.ModuleList([Affine(self.t.f, 64) for _ in parts])
        net.last = Affine(64 * len(parts), self.t.classes)
        net.theta = torch.nn.Parameter(torch.ones(len(parts)))
        return net

    def z(self):
        mu = F.softmax(self.net.theta, 0)
        parts = [mu[i] * F.normalize(layer(x)) for i, (layer, x) in enumerate(zip(self.net.first, self.parts))]
        return self.net.last(F.relu(torch.cat(parts, 1)))


class H2gcn(Graph):
    def network(self):
        n = self.t.n
        a = self.plain()
        two = (a.forward @ a.forward).to_sparse_coo().coalesce().indices()
        keys, near = two[0] * n + two[1], self.t.pairs[0] * n + self.t.pairs[1]
        two = two[:, ~torch.isin(keys, near)]
        self.one, self.two = normalised(self.t.pairs, n, False), normalised(two, n, False)
        net = torch.nn.Module()
        net.first, net.norm = Affine(self.t.f, 64), torch.nn.BatchNorm1d(128)
        net.last = Affine(64 * 7, self.t.classes)
        return net

    def z(self):
        net = self.net
        kept = [F.relu(net.first(self.t.x))]
        x = F.dropout(kept[0], 0.5, net.training)
        x = net.norm(torch.cat([self.one @ x, self.two @ x], 1))
        kept.append(x)
        x = F.dropout(x, 0.5, net.training)
        kept.append(F.dropout(torch.cat([self.one @ x, self.two @ x], 1), 0.5, net.training))
        return net.last(torch.cat(kept, 1))


class Linkx(Graph):
    def network(self):
        self.a = self.plain()
        net = torch.nn.Module()
        net.a, net.x, net.both = Affine(self.t.n, 64), Affine(self.t.f, 64), Affine(128, 64)
        net.last = MLP([64, 64, self.t.classes], norm=True)
        return net

    def z(self):
        a, f = self.net.a(self.a), self.net.x(self.t.x)
        return self.net.last(F.relu(self.net.both(torch.cat([a, f], 1)) + a + f))


class Glognn(Graph):
    delta = 0.0

    def network(self):
        self.adj = self.sym()
        net = torch.nn.Module()
        net.x, net.a, net.last = Affine(self.t.f, 64), Affine(self.t.n, 64), Affine(64, self.t.classes)
        return net

    def z(self):
        net = self.net
        e = F.relu(self.delta * net.x(self.t.x) + (1 - self.delta) * net.a(self.adj))
        h = net.last(F.dropout(e, 0.5, net.training))
        m = h.t() @ h
        r = h - h @ torch.linalg.solve(torch.eye(len(m)) + m, m)
        return h @ (h.t() @ r) + self.adj @ r


class GlognnPP(Glognn):
    """With a constant weight for every column."""

    def z(self):
        net, w = self.net, 1 / self.t.classes
        e = F.relu(self.delta * net.x(self.t.x) + (1 - self.delta) * net.a(self.adj))
        h = net.last(F.dropout(e, 0.5, net.training))
        m = h.t() @ h
        r = w * (h - h @ torch.linalg.solve(torch.eye(len(m)) + m, m))
        return h @ (w * (h.t() @ r)) + self.adj @ r


class GbkGnn(Graph):
    """The gates of both layers also meet the labels of edges between training nodes."""
    decay = 5e-7

    def network(self):
        t = self.t
        self.rows, self.cols = t.pairs
        self.degree = torch.bincount(self.rows, minlength=t.n).clamp(min=1).float()[:, None]
        inside = torch.zeros(t.n, dtype=torch.bool)
        inside[t.train] = True
        self.edges = (inside[self.rows] & inside[self.cols]).nonzero()[:, 0]
        self.same = (t.labels[self.rows] == t.labels[self.cols])[self.edges].long()
        net = torch.nn.Module()
        net.layers = torch.nn.ModuleList()
        for a, o in ((t.f, 64), (64, t.classes)):
            part = torch.nn.Module()
            half = o // 2 if o % 2 == 0 else o
            part.gate, part.vectors = Affine(a, o, bias=False), Affine(o, 2, bias=False)
            part.near, part.far, part.own = Affine(a, half), Affine(a, half), Affine(a, o, bias=False)
            net.layers.append(part)
        return net

    def layer(self, part, x, even):
        """Means of x W are sums of narrow rows; they equal the means of x times W."""
        v, wide = part.vectors(part.gate(x)), x @ part.near.w
        sigma = torch.sigmoid(F.leaky_relu(v[self.cols, 0] + v[self.rows, 1], 0.2))
        near = torch.zeros_like(wide).index_add(0, self.rows, sigma[:, None] * wide[self.cols]) / self.degree
        mean = torch.zeros(self.t.n).index_add(0, self.rows, 1 - sigma)[:, None] / self.degree
        p, q = near + part.near.b, mean * (x @ part.far.w) + part.far.b
        return (torch.cat([p, q], 1) if even else p + q) + part.own(x), sigma

    def z(self):
        first, last = self.net.layers
        h, self.s1 = self.layer(first, self.t.x, True)
        z, self.s2 = self.layer(last, F.dropout(F.relu(h), 0.5, self.net.training), self.t.classes % 2 == 0)
        return z

    def loss(self, epoch):
        plain = super().loss(epoch)
        sides = [torch.stack([1 - s[self.edges], s[self.edges]], 1) for s in (self.s1, self.s2)]
        return plain + 30 * sum(F.cross_entropy(side, self.same) for side in sides)


class AcmLayer(torch.nn.Module):
    def __init__(self, a, o, plus=False):
        super().__init__()
        bound = 1 / math.sqrt(o)
        self.w = Affine(a, 3 * o, bias=False, bound=bound)
        self.v = torch.nn.Parameter(torch.empty(3, o).uniform_(-1, 1))
        self.m = torch.nn.Parameter(torch.empty(3, 3).uniform_(-1 / math.sqrt(3), 1 / math.sqrt(3)))
        self.norms = torch.nn.ModuleList([torch.nn.LayerNorm(o) for _ in range(3)]) if plus else None
        self.o = o

    def forward(self, x, adj, act=True):
        """One product makes the three channels."""
        low, high, own = self.w(x).split(self.o, 1)
        spread = adj @ torch.cat([low, high], 1)
        parts = [spread[:, :self.o], high - spread[:, self.o:], own]
        if act:
            parts = [F.relu(p) for p in parts]
        return self.mixed(parts)

    def mixed(self, parts):
        judged = [norm(p) for norm, p in zip(self.norms, parts)] if self.norms else parts
        said = torch.stack([p @ v for p, v in zip(judged, self.v)], 1)
        alpha = F.softmax(torch.sigmoid(said) @ self.m / 3, 1)
        return 3 * sum(alpha[:, i:i + 1] * p for i, p in enumerate(parts))


class AcmGcn(Graph):
    epochs, lr, decay, dropout, plus, residual = 5000, 0.05, 1e-3, 0, False, False

    def network(self):
        self.adj = self.rw()
        net = torch.nn.Module()
        net.first, net.last = AcmLayer(self.t.f, 64, self.plus), AcmLayer(64, self.t.classes, self.plus)
        if self.residual:
            net.skip = Affine(self.t.f, 64)
        return net

    def z(self):
        h = F.relu(self.net.first(self.t.x, self.adj))
        if self.residual:
            h = h + self.net.skip(self.t.x)
        return self.net.last(h, self.adj)


class AcmGcnP(AcmGcn):
    plus = True


class AcmGcnPP(AcmGcn):
    plus = residual = True


class AcmSgc(Graph):
    epochs, lr, decay = 5000, 0.05, 1e-3

    def network(self):
        self.adj = self.rw()
        return AcmLayer(self.t.f, self.t.classes)

    def z(self):
        return self.net(self.t.x, self.adj, act=False)


class AcmSgc2(AcmSgc):
    """Two hops for the smooth channel."""

    def z(self):
        layer, o = self.net, self.net.o
        low, high, own = layer.w(self.t.x).split(o, 1)
        spread = self.adj @ torch.cat([low, high], 1)
        return layer.mixed([self.adj @ spread[:, :o].contiguous(), high - spread[:, o:], own])


METHODS = {"gcn": Gcn, "sgc-1": Sgc, "mlp-1": Mlp1, "mlp-2": Mlp2, "appnp": Appnp, "gprgnn": Gprgnn, "bernnet": Bernnet,
           "fagcn": Fagcn, "fsgnn": Fsgnn, "h2gcn": H2gcn, "linkx": Linkx, "glognn": Glognn, "glognn-pp": GlognnPP, "gbk-gnn": GbkGnn,
           "acm-gcn": AcmGcn, "acm-gcn-p": AcmGcnP, "acm-gcn-pp": AcmGcnPP, "acm-sgc-1": AcmSgc, "acm-sgc-2": AcmSgc2}
