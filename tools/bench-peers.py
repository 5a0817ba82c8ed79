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


FUNCTIONS = {"relu": F.relu, "elu": F.elu, "tanh": torch.tanh, "gelu": F.gelu, "dropout": lambda x: F.dropout(x, 0.5)}


def peer_of(name, graph):
    words = name.replace(",", "").split()
    sizes = [int(word) for word in words if word.isdigit()]
    kind = words[0]
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
    if run is None or "grad" in name or name.startswith("adam"):
        return run

    def without_tape():
        with torch.no_grad():
            return run()

    return without_tape
