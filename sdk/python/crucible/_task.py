# SPDX-License-Identifier: Apache-2.0
"""What a method sees of its trial: read-only arrays over the host's pages, nothing copied; and the stopping rule."""
import sys
import types
import warnings

import numpy as np

from . import _abi


def view(pointer, *shape):
    """The pages behind a pointer as an array; None for NULL."""
    if not pointer:
        return None
    if 0 in shape:
        return np.empty(shape, np.ctypeslib.as_array(pointer, (1,)).dtype)
    array = np.ctypeslib.as_array(pointer, shape)
    array.flags.writeable = False
    return array


class Csr:
    """Compressed rows. Of a graph row v lists the nodes that v aggregates from."""

    def __init__(self, csr):
        self.shape = (csr.rows, csr.cols)
        self.indptr = view(csr.offsets, csr.rows + 1)
        entries = int(self.indptr[-1])
        empty = np.empty(0, np.int32)
        self.indices = view(csr.ids, entries) if entries else empty
        self.values = view(csr.values, entries) if csr.values and entries else None  # None: all 1

    @property
    def edge_index(self):
        """2 x edges, int64: source, target."""
        rows = np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))
        return np.stack([self.indices.astype(np.int64), rows])

    def dense(self):
        out = np.zeros(self.shape, np.float32)
        source, target = self.edge_index
        out[target, source] = 1 if self.values is None else self.values
        return out


def csr_or_none(csr):
    return Csr(csr) if csr.offsets else None


class Task:
    def __init__(self, task):
        self.problem = next(name for name, bit in _abi.PROBLEMS.items() if bit == task.problem)
        self.items, self.nodes, self.classes, self.seed = task.items, task.nodes, task.classes, task.seed
        self.graph = csr_or_none(task.graph)
        self.graph_offsets = view(task.graph_offsets, task.items + 1)  # whole graphs: whose nodes are whose
        self.relations = {task.relations[i].name.decode(): Csr(task.relations[i].graph)
                          for i in range(task.relation_count)}
        x = task.x
        self.features = x.cols
        self.image = (x.channels, x.height, x.width) if x.channels else None
        self.x = Csr(x.sparse) if x.sparse.offsets else view(x.dense, x.rows, x.cols)  # dense, Csr or None
        self.labels = view(task.labels, task.items)  # -1: not known
        self.candidates = view(task.candidates, task.items, task.classes)
        self.split = types.SimpleNamespace(**{part: self._ids(getattr(task.split, part))
                                              for part in ("train", "val", "test")})

    @staticmethod
    def _ids(ids):
        return view(ids.ids, ids.count) if ids.count else np.empty(0, np.int32)

    def x_dense(self):
        return self.x.dense() if isinstance(self.x, Csr) else self.x

    @property
    def batch(self):
        """Of whole graphs: the graph of each node; None otherwise."""
        offsets = self.graph_offsets
        return None if offsets is None else np.repeat(np.arange(self.items), np.diff(offsets))

    def torch(self):
        """The same as tensors: x (dense), edge_index, edge_weight (None: all 1), relations (an edge_index by name), batch,
        candidates (bool), labels, train, val, test; None where the task has none."""
        import torch

        def tensor(array):
            return None if array is None else torch.from_numpy(array)
        graph, candidates = self.graph, self.candidates
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the pages are read-only
            tensors = {"x": tensor(self.x_dense()), "edge_index": tensor(None if graph is None else graph.edge_index),
                       "edge_weight": tensor(None if graph is None else graph.values), "batch": tensor(self.batch),
                       "candidates": tensor(None if candidates is None else candidates.astype(bool)),
                       "relations": {name: tensor(r.edge_index) for name, r in self.relations.items()}}
        for name, array in (("labels", self.labels), ("train", self.split.train), ("val", self.split.val),
                            ("test", self.split.test)):
            tensors[name] = torch.from_numpy(array.astype(np.int64))
        return types.SimpleNamespace(**tensors)

    def pyg(self):
        """The same as a torch_geometric Data with masks; whole graphs as a list of them, each with its `item`, for a
        DataLoader. -1 in y: not known."""
        import torch
        from torch_geometric.data import Data
        t = self.torch()
        if self.graph_offsets is not None:
            return self._pyg_graphs(t, Data)
        data = Data(x=t.x, edge_index=t.edge_index, edge_weight=t.edge_weight, y=t.labels, num_nodes=self.nodes)
        for part in ("train", "val", "test"):
            mask = torch.zeros(self.items, dtype=torch.bool)
            mask[getattr(t, part)] = True
            data[f"{part}_mask"] = mask
        return data

    def _pyg_graphs(self, t, kind):
        """The edges of a graph stand together, as its nodes do."""
        nodes, edges, out = self.graph_offsets, self.graph.indptr[self.graph_offsets], []
        for i in range(self.items):
            mine, where = slice(int(edges[i]), int(edges[i + 1])), slice(int(nodes[i]), int(nodes[i + 1]))
            weight = None if t.edge_weight is None else t.edge_weight[mine]
            out.append(kind(x=None if t.x is None else t.x[where], edge_index=t.edge_index[:, mine] - int(nodes[i]),
                            edge_weight=weight, y=t.labels[i:i + 1], item=i, num_nodes=where.stop - where.start))
        return out


class Verdict:
    """keep: the best so far, remember these weights. stop: end training now."""

    def __init__(self, bits):
        self.keep, self.stop = bool(bits & 1), bool(bits & 2)


class Monitor:
    def __init__(self, monitor, shape):
        self._monitor, self._shape, self._epoch = monitor, shape, 0
        self.limit = monitor.limit if monitor.limit > 0 else sys.maxsize  # epochs that the experiment allows
        self.validation_only = monitor.validation_only  # only scores of validation items are looked at

    def epochs(self, most):
        """0, 1, ...: as many as the method and the experiment allow."""
        return range(min(most, self.limit))

    def before_step(self, dropout=True):
        """Whether an epoch is to be reported before its step instead of after it. `dropout`: whether passes differ while
        the method trains."""
        return self._monitor.before_step and not (dropout and self._monitor.unless_dropout)

    def epoch(self, scores, loss=float("nan")):
        """Reports an epoch with the scores that would be predicted now, and the training loss; gives a Verdict."""
        scores = matrix(scores, self._shape)
        bits = self._monitor.epoch(self._monitor.user, self._epoch, float(loss), scores.ctypes.data)
        self._epoch += 1
        return Verdict(bits)


def matrix(values, shape=None):
    """Rows of float32 in memory order, from numpy or torch."""
    if hasattr(values, "detach"):
        values = values.detach().cpu().numpy()
    values = np.ascontiguousarray(values, np.float32)
    if shape and values.shape != shape:
        raise ValueError(f"scores are {' x '.join(map(str, values.shape))}, not {shape[0]} items x {shape[1]} classes")
    return values
