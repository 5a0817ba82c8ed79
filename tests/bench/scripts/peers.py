# SPDX-License-Identifier: Apache-2.0
"""The work of the benchmark cases in PyTorch, as one would write it there. tools/bench loads this file.

A peer is a function named by the first words of a case; it gets the sizes that follow in the name and returns what is
timed.
"""
import time
import warnings

import numpy
import torch
import torch.nn.functional as F

warnings.filterwarnings("ignore", message=".*is in beta")


class Graph:
    """A graph file of crucible-bench, in the forms PyTorch wants."""

    def __init__(self, path):
        with open(path, "rb") as file:
            rows, entries = numpy.fromfile(file, numpy.int64, 2)
            offsets = numpy.fromfile(file, numpy.int64, rows + 1)
            ids = numpy.fromfile(file, numpy.int32, entries).astype(numpy.int64)
            values = numpy.fromfile(file, numpy.float32, entries)
        self.nodes = int(rows)
        self.entries = int(entries)
        self.col = torch.from_numpy(ids)
        self.row = torch.from_numpy(numpy.repeat(numpy.arange(rows), numpy.diff(offsets)))
        self.values = torch.from_numpy(values)
        size = (self.nodes, self.nodes)
        self.csr = torch.sparse_csr_tensor(torch.from_numpy(offsets), self.col, self.values, size)
        self.coo = torch.sparse_coo_tensor(torch.stack([self.row, self.col]), self.values, size).coalesce()


def faster(*runs):
    """The quickest of several ways to do the same, so that the peer is not handicapped by our choice."""
    def once(run):
        run()
        begin = time.perf_counter()
        run()
        return time.perf_counter() - begin

    return min(runs, key=once)


def gemm(m, n, k, transposed):
    a = torch.rand(k, m).t() if transposed == "a" else torch.rand(m, k)
    b = torch.rand(n, k).t() if transposed == "b" else torch.rand(k, n)
    out = torch.empty(m, n)
    return lambda: torch.mm(a, b, out=out)


def spmm(graph, heads, cols):
    x = torch.rand(graph.nodes, heads * cols)
    if heads == 1:
        return faster(lambda: torch.sparse.mm(graph.coo, x), lambda: graph.csr @ x)
    weights, shaped = torch.rand(graph.entries, heads, 1), x.view(graph.nodes, heads, cols)

    def messages():
        return torch.zeros_like(shaped).index_add_(0, graph.row, shaped[graph.col] * weights)

    return messages


def sddmm(graph, heads, cols):
    l, r = torch.rand(graph.nodes, heads, cols), torch.rand(graph.nodes, heads, cols)
    return lambda: (l[graph.row] * r[graph.col]).sum(-1)


def edge_softmax(graph, heads):
    x, index = torch.rand(graph.entries, heads), graph.row.unsqueeze(1).expand(-1, heads)

    def run():
        top = torch.zeros(graph.nodes, heads).scatter_reduce_(0, index, x, "amax", include_self=False)
        e = (x - top[graph.row]).exp()
        return e / torch.zeros(graph.nodes, heads).index_add_(0, graph.row, e)[graph.row]

    return run


def adam(n):
    w = torch.nn.Parameter(torch.rand(n))
    w.grad = torch.rand(n)
    optimiser = torch.optim.Adam([w], lr=1e-3, weight_decay=5e-4)
    return optimiser.step


def unary(function, n):
    x = torch.rand(n) * 2 - 1
    return lambda: function(x)


def cross_entropy(count, classes):
    logits, labels = torch.rand(count, classes), torch.arange(count) % classes
    return lambda: F.cross_entropy(logits, labels, reduction="none")


def conv(batch, channels, side, grad):
    x, weight = torch.rand(batch, channels, side, side), torch.rand(channels, channels, 3, 3)
    if not grad:
        return lambda: F.conv2d(x, weight, padding=1)
    x.requires_grad_()
    weight.requires_grad_()
    y = F.conv2d(x, weight, padding=1)
    dy = torch.rand_like(y)
    return lambda: torch.autograd.grad(y, (x, weight), dy, retain_graph=True)


def function_grad(backward, n):
    x, dy = torch.rand(n) * 2 - 1, torch.rand(n)
    return lambda: backward(dy, x)


def norm(name, sizes):
    """Forward in train mode, or the gradients of input, gain and shift."""
    kind = name.split()[0]
    x = torch.rand(*sizes, sizes[2]) if kind == "image" else torch.rand(*sizes)
    gain, shift = torch.ones(sizes[1]), torch.zeros(sizes[1])
    if kind == "layer":
        return lambda: F.layer_norm(x, (sizes[1],))
    if "grad" not in name:
        return lambda: F.batch_norm(x, None, None, gain, shift, True)
    for tensor in (x, gain, shift):
        tensor.requires_grad_()
    y = F.batch_norm(x, None, None, gain, shift, True)
    dy = torch.rand_like(y)
    return lambda: torch.autograd.grad(y, (x, gain, shift), dy, retain_graph=True)


def rows_by_id(name, count, rows, cols):
    ids = torch.randint(rows, (count,))
    if name.startswith("gather"):
        x = torch.rand(rows, cols)
        return lambda: x[ids]
    x, zeros, spread = torch.rand(count, cols), torch.zeros(rows, cols), ids.unsqueeze(1).expand(-1, cols)
    if "max" in name:
        return lambda: zeros.scatter_reduce(0, spread, x, "amax", include_self=False)
    return lambda: zeros.index_add(0, ids, x)


def neighbour_max(graph, heads, cols):
    x, zeros = torch.rand(graph.nodes, heads * cols), torch.zeros(graph.nodes, heads * cols)
    index = graph.row.unsqueeze(1).expand(-1, heads * cols)
    return lambda: zeros.scatter_reduce(0, index, x[graph.col], "amax", include_self=False)


def sgd(n):
    w = torch.nn.Parameter(torch.rand(n))
    w.grad = torch.rand(n)
    optimiser = torch.optim.SGD([w], lr=1e-3, momentum=0.9, weight_decay=5e-4)
    return optimiser.step


def on_rows(name, sizes):
    """What PyTorch has one function for."""
    x = torch.rand(*sizes[:2])
    number = torch.rand(sizes[0], 1)
    y = F.softmax(x, 1)
    return {"scale rows": lambda: x * number, "row sum": lambda: x.sum(1), "row max": lambda: x.max(1),
            "column max": lambda: x.max(0), "column softmax": lambda: F.softmax(x, 0),
            "softmax grad": lambda: torch.ops.aten._softmax_backward_data(x, y, 1, torch.float32),
            "topk": lambda: x.topk(sizes[-1], 1), "sort": lambda: x.sort(1, descending=True),
            "transpose": lambda: x.t().contiguous()}[name]


SHAPES = {  # features, words a row (None: dense), hidden, classes, every n-th node is a training node
    "cora": (1433, 18, 16, 7, 19),
    "photo": (745, 261, 16, 8, 48),
    "arxiv": (128, None, 64, 40, 2),
}


def train(weights, logits, rows, classes, evaluate):
    """A training step with Adam and, for graphs, an evaluation, as training scripts write them."""
    optimiser = torch.optim.Adam(weights, lr=0.01, weight_decay=5e-4)
    labels = torch.arange(len(rows)) % classes

    def run():
        optimiser.zero_grad()
        F.cross_entropy(logits(True)[rows], labels).backward()
        optimiser.step()
        if evaluate:
            with torch.no_grad():
                logits(False)

    return run


def weight(*shape):
    return torch.nn.Parameter((torch.rand(*shape) - 0.5) * 0.2)


def graph_features(graph, columns, words):
    return torch.rand(graph.nodes, columns) if words is None else (torch.rand(graph.nodes, columns) < words / columns).float()


def gcn_epoch(graph, name, input_dropout=0.5, sparse_features=False):
    """Kipf and Welling's recipe, with dropout on the features and on the hidden layer. The features are dense, as in the
    published PyTorch scripts; the case `sparse x` keeps them sparse, and then cannot drop them."""
    columns, words, hidden, classes, every = SHAPES[name]
    x = graph_features(graph, columns, words)
    if sparse_features:
        x = x.to_sparse()
    w1, b1, w2, b2 = weight(columns, hidden), weight(hidden), weight(hidden, classes), weight(classes)

    def logits(training):
        first = torch.sparse.mm(x, w1) if sparse_features else F.dropout(x, input_dropout, training and input_dropout > 0) @ w1
        h = F.relu(torch.sparse.mm(graph.coo, first) + b1)
        return torch.sparse.mm(graph.coo, F.dropout(h, 0.5, training) @ w2) + b2

    return train([w1, b1, w2, b2], logits, torch.arange(0, graph.nodes, every), classes, True)


def attention(graph, h, source, target, heads):
    """One GAT layer after its linear map, by gather and scatter as PyTorch Geometric does it."""
    h = h.view(graph.nodes, heads, -1)
    scores = F.leaky_relu((h * target).sum(-1)[graph.row] + (h * source).sum(-1)[graph.col], 0.2)
    index = graph.row.unsqueeze(1).expand(-1, heads)
    top = torch.zeros(graph.nodes, heads).scatter_reduce(0, index, scores.detach(), "amax", include_self=False)
    e = (scores - top[graph.row]).exp()
    alpha = e / torch.zeros(graph.nodes, heads).index_add(0, graph.row, e)[graph.row]
    messages = h[graph.col] * alpha.unsqueeze(-1)
    return torch.zeros_like(h).index_add(0, graph.row, messages).view(graph.nodes, -1)


def gat_epoch(graph, name):
    columns, words, _, classes, every = SHAPES[name]
    x = graph_features(graph, columns, words)
    w1, s1, t1, b1 = weight(columns, 64), weight(8, 8), weight(8, 8), weight(64)
    w2, s2, t2, b2 = weight(64, classes), weight(1, classes), weight(1, classes), weight(classes)

    def logits(training):
        h = F.elu(attention(graph, x @ w1, s1, t1, 8) + b1)
        return attention(graph, F.dropout(h, 0.5, training) @ w2, s2, t2, 1) + b2

    return train([w1, s1, t1, b1, w2, s2, t2, b2], logits, torch.arange(0, graph.nodes, every), classes, True)


def mlp_step(batch, columns, classes):
    x = torch.rand(batch, columns)
    net = torch.nn.Sequential(torch.nn.Linear(columns, 500), torch.nn.ReLU(), torch.nn.Linear(500, classes))
    return train(list(net.parameters()), lambda training: net(x), torch.arange(batch), classes, False)


class Block(torch.nn.Module):
    def __init__(self, before, width, stride):
        super().__init__()
        self.conv1 = torch.nn.Conv2d(before, width, 3, stride, 1, bias=False)
        self.conv2 = torch.nn.Conv2d(width, width, 3, 1, 1, bias=False)
        self.norm1, self.norm2 = torch.nn.BatchNorm2d(width), torch.nn.BatchNorm2d(width)
        self.shortcut = torch.nn.Sequential() if before == width else torch.nn.Sequential(
            torch.nn.Conv2d(before, width, 1, stride, bias=False), torch.nn.BatchNorm2d(width))

    def forward(self, x):
        h = self.norm2(self.conv2(F.relu(self.norm1(self.conv1(x)))))
        return F.relu(h + self.shortcut(x))


def resnet_step(batch):
    """ResNet-32: three stages of five blocks."""
    layers, before = [torch.nn.Conv2d(3, 16, 3, 1, 1, bias=False), torch.nn.BatchNorm2d(16), torch.nn.ReLU()], 16
    for width in (16, 32, 64):
        for number in range(5):
            layers.append(Block(before, width, 2 if number == 0 and width > 16 else 1))
            before = width
    net = torch.nn.Sequential(*layers, torch.nn.AvgPool2d(8), torch.nn.Flatten(), torch.nn.Linear(64, 10))
    x = torch.rand(batch, 3, 32, 32)
    return train(list(net.parameters()), lambda training: net(x), torch.arange(batch), 10, False)


FUNCTIONS = {"relu": F.relu, "elu": F.elu, "tanh": torch.tanh, "gelu": F.gelu, "dropout": lambda x: F.dropout(x, 0.5)}


GRADS = {"relu grad": lambda dy, x: torch.ops.aten.threshold_backward(dy, x, 0),
         "gelu grad": lambda dy, x: torch.ops.aten.gelu_backward(dy, x)}
ON_ROWS = ("scale rows", "row sum", "row max", "column max", "column softmax", "softmax grad", "topk", "sort", "transpose")


def pool(batch, channels, side, function):
    x = torch.rand(batch, channels, side, side)
    return lambda: function(x, 2)


def peer_of(name, graph):
    words = name.replace(",", "").split()
    sizes = [int(word) for word in words if word.isdigit()]
    kind = words[0]
    for start in ON_ROWS:
        if name.startswith(start):
            return on_rows(start, sizes)
    for start, backward in GRADS.items():
        if name.startswith(start):
            return function_grad(backward, *sizes)
    if kind in ("batch", "layer", "image") and words[1] == "norm":
        return norm(name, sizes)
    if kind in ("gather", "scatter"):
        return rows_by_id(name, *sizes)
    if kind == "neighbour":
        return neighbour_max(graph, *sizes)
    if words[1] == "pool":
        return pool(*sizes, F.max_pool2d if kind == "max" else F.avg_pool2d)
    if kind == "sgd":
        return sgd(*sizes)
    if kind == "batched":
        a, b = torch.rand(sizes[0], sizes[1], sizes[2]), torch.rand(sizes[0], sizes[2], sizes[1])
        return lambda: torch.bmm(a, b)
    if kind == "add":
        a, b = torch.rand(*sizes), torch.rand(*sizes)
        return lambda: a + b
    if name.startswith("gcn epoch"):
        return gcn_epoch(graph, words[2], 0 if "no input dropout" in name else 0.5, name.endswith("sparse x"))
    if name.startswith("gat epoch"):
        return gat_epoch(graph, words[2])
    if kind == "mlp":
        return mlp_step(*sizes)
    if kind == "resnet":
        return resnet_step(*sizes)
    if kind == "gemm":
        return gemm(*sizes, words[-2] if words[-1] == "transposed" else None)
    if kind in ("spmm", "sddmm"):
        return {"spmm": spmm, "sddmm": sddmm}[kind](graph, *sizes)
    if name.startswith("edge softmax"):
        return edge_softmax(graph, *sizes)
    if name.startswith("column sum"):
        x = torch.rand(*sizes)
        return lambda: x.sum(0)
    if kind == "conv":
        return conv(*sizes, words[1] == "grad")
    if kind in FUNCTIONS:
        return unary(FUNCTIONS[kind], *sizes)
    if kind == "softmax":
        x = torch.rand(*sizes)
        return lambda: F.softmax(x, 1)
    if kind == "xent":
        return cross_entropy(*sizes)
    if kind == "adam":
        return adam(*sizes)
    return None


def prepare(name, graph_path, threads):
    """What to time for a case, or None when PyTorch has no such work."""
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    run = peer_of(name, Graph(graph_path) if graph_path else None)
    if run is None or name.split()[0] in ("adam", "sgd", "gcn", "gat", "mlp", "resnet") or "grad" in name:
        return run

    def without_tape():
        with torch.no_grad():
            return run()

    return without_tape
