# SPDX-License-Identifier: Apache-2.0
"""What the loops of all families share: the task, sparse products, networks, the epoch loop.

The loops are given what PyTorch can do for them: sparse matrices are CSR and keep their transpose, which PyTorch would
otherwise make again in every backward pass; what does not change is computed once; evaluation records no gradient; Adam
updates all weights in one call (`foreach`). A method is a class with `nets`, `loss(epoch)` (one step's loss) and `scores()`
(in eval mode); `before()` is what it does ahead of its epochs.
"""
import math

import numpy
import torch
import torch.nn.functional as F


class Product(torch.autograd.Function):
    """A sparse matrix, constant, times a dense one."""

    @staticmethod
    def forward(ctx, dense, matrix):
        ctx.matrix = matrix
        return matrix.forward @ dense

    @staticmethod
    def backward(ctx, gradient):
        return ctx.matrix.backward @ gradient.contiguous(), None


class Sparse:
    """A constant CSR matrix with its transpose."""

    def __init__(self, rows, cols, values, shape):
        whole = torch.sparse_coo_tensor(torch.stack([rows, cols]), values, shape).coalesce()
        self.shape, self.indices, self.values = tuple(shape), whole.indices(), whole.values()
        self.forward = whole.to_sparse_csr()
        self.backward = whole.t().coalesce().to_sparse_csr()
        self.turned = None

    def __matmul__(self, dense):
        if dense.requires_grad:
            return Product.apply(dense, self)
        return self.forward @ dense

    def kept(self, share):
        """Each stored value with this probability, scaled up by it."""
        return self.with_values(self.values * (torch.rand(len(self.values)) < share) / share)

    def with_values(self, values):
        """Others where these are stored; where they go in the transpose is found once."""
        if self.turned is None:
            self.turned = torch.argsort(self.indices[1], stable=True)
        of = lambda matrix, values: torch.sparse_csr_tensor(matrix.crow_indices(), matrix.col_indices(), values, matrix.shape)
        new = object.__new__(Sparse)
        new.__dict__.update(self.__dict__, values=values)
        new.forward, new.backward = of(self.forward, values), of(self.backward, values[self.turned])
        return new


def normalised(pairs, n, loops=True, rule="sym", weights=None):
    """D^-1/2 (A + I) D^-1/2 or D^-1 (A + I) by row sums, the loops on request."""
    weights = torch.ones(pairs.shape[1]) if weights is None else weights
    if loops:
        own = torch.arange(n)
        pairs, weights = torch.cat([pairs, torch.stack([own, own])], 1), torch.cat([weights, torch.ones(n)])
    degree = torch.zeros(n).index_add(0, pairs[0], weights).clamp(min=1e-12)
    if rule == "rw":
        return Sparse(pairs[0], pairs[1], weights / degree[pairs[0]], (n, n))
    if rule == "sym":
        root = degree.rsqrt()
        return Sparse(pairs[0], pairs[1], root[pairs[0]] * weights * root[pairs[1]], (n, n))
    return Sparse(pairs[0], pairs[1], weights, (n, n))


def without_loops(pairs):
    return pairs[:, pairs[0] != pairs[1]]


def both_ways(pairs, n):
    keys = torch.unique(torch.cat([pairs[0] * n + pairs[1], pairs[1] * n + pairs[0]]))
    return torch.stack([keys // n, keys % n])


class Task:
    """The arrays of a folder (crucible-bench-task wrote them) and a split by shares, the same for all methods."""

    def __init__(self, folder, shares=(0.6, 0.2)):
        part = lambda name: torch.from_numpy(numpy.load(f"{folder}/{name}.npy"))
        has = lambda name: (folder / f"{name}.npy").exists()
        self.x = self.read_features(part, has)
        self.labels = part("labels").long()
        self.items, self.f = len(self.labels), self.x.shape[1]
        self.n, self.classes = self.x.shape[0], int(self.labels.max()) + 1
        self.pairs = part("pairs").long() if has("pairs") else None
        self.graphs = part("graphs") if has("graphs") else None
        self.candidates = part("candidates").float() if has("candidates") else None
        order = torch.randperm(self.items, generator=torch.Generator().manual_seed(0))
        order = order[self.labels[order] >= 0]
        cut = [int(share * len(order)) for share in (shares[0], sum(shares))]
        self.train, self.val = order[:cut[0]], order[cut[0]:cut[1]]

    @staticmethod
    def read_features(part, has):
        if has("x"):
            return part("x")
        offsets, cols = part("indptr"), part("indices").long()
        rows = torch.repeat_interleave(torch.arange(len(offsets) - 1), offsets.diff())
        return Sparse(rows, cols, part("data"), tuple(part("shape").tolist()))


def dropped(x, rate, training):
    """Dropout of features: of stored values where they are sparse."""
    if not training or not rate:
        return x
    return x.kept(1 - rate) if isinstance(x, Sparse) else F.dropout(x, rate)


class Affine(torch.nn.Module):
    """x W + b for x dense or sparse."""

    def __init__(self, rows, cols, bias=True, bound=None):
        super().__init__()
        bound = 1 / math.sqrt(rows) if bound is None else bound
        self.w = torch.nn.Parameter(torch.empty(rows, cols).uniform_(-bound, bound))
        self.b = torch.nn.Parameter(torch.zeros(cols)) if bias else None

    def forward(self, x):
        if isinstance(x, Sparse):
            h = x @ self.w
            return h if self.b is None else h + self.b
        return x @ self.w if self.b is None else torch.addmm(self.b, x, self.w)


class MLP(torch.nn.Module):
    def __init__(self, sizes, dropout=0.5, norm=False, first=False, bias=True):
        super().__init__()
        self.layers = torch.nn.ModuleList([Affine(a, b, bias) for a, b in zip(sizes, sizes[1:])])
        self.norms = torch.nn.ModuleList([torch.nn.BatchNorm1d(b) for b in sizes[1:-1]]) if norm else None
        self.dropout, self.first = dropout, first

    def forward(self, x):
        x = dropped(x, self.dropout if self.first else 0, self.training)
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i + 1 < len(self.layers):
                x = F.relu(x)
                x = self.norms[i](x) if self.norms else x
                x = F.dropout(x, self.dropout, self.training)
        return x


class GCN(torch.nn.Module):
    def __init__(self, sizes, dropout=0.5, bias=True):
        super().__init__()
        glorot = lambda a, b: math.sqrt(6 / (a + b))
        self.layers = torch.nn.ModuleList([Affine(a, b, bias, glorot(a, b)) for a, b in zip(sizes, sizes[1:])])
        self.dropout = dropout

    def hidden(self, x, adj):
        """What the last layer sees."""
        for layer in self.layers[:-1]:
            h = adj @ (x @ layer.w)
            x = F.dropout(F.relu(h if layer.b is None else h + layer.b), self.dropout, self.training)
        return x

    def forward(self, x, adj):
        last = self.layers[-1]
        z = adj @ (self.hidden(x, adj) @ last.w)
        return z if last.b is None else z + last.b


class Method:
    """Full batches, Adam, an evaluation after every epoch, the best weights kept; unless a method says otherwise."""
    epochs, hidden, lr, decay = 200, 64, 0.01, 5e-4
    shares = (0.6, 0.2)

    def __init__(self, task):
        self.t = task
        self.y = task.labels[task.train]
        self.net = self.network()
        self.nets = [self.net]

    def network(self):
        raise NotImplementedError

    def before(self):
        pass

    def z(self):
        raise NotImplementedError

    def loss(self, epoch):
        return F.cross_entropy(self.z()[self.t.train], self.y)

    def scores(self):
        return self.z()

    def validation(self):
        return (self.scores()[self.t.val].argmax(1) == self.t.labels[self.t.val]).float().mean().item()

    def parameters(self):
        return [p for net in self.nets for p in net.parameters()]

    def optimiser(self, parameters):
        return torch.optim.Adam(parameters, self.lr, weight_decay=self.decay, foreach=True)

    def modes(self, training):
        for net in self.nets:
            net.train(training)

    def epoch(self, optimiser, epoch):
        self.step(optimiser, self.loss(epoch))

    def fit(self, epochs):
        self.before()
        optimiser, best, kept = self.optimiser(self.parameters()), -1, None
        for epoch in range(epochs):
            self.modes(True)
            self.epoch(optimiser, epoch)
            self.modes(False)
            with torch.no_grad():
                right = self.validation()
            if right > best:
                best, kept = right, [p.detach().clone() for p in self.parameters()]
        return best, kept

    @staticmethod
    def step(optimiser, loss):
        optimiser.zero_grad(set_to_none=True)
        loss.backward()
        optimiser.step()
