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

    def torch(self):
        """The same as tensors: x (dense), edge_index, labels, train, val, test."""
        import torch
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that the pages are read-only
            tensors = {"x": None if self.x is None else torch.from_numpy(self.x_dense()),
                       "edge_index": None if self.graph is None else torch.from_numpy(self.graph.edge_index)}
        for name, array in (("labels", self.labels), ("train", self.split.train), ("val", self.split.val),
                            ("test", self.split.test)):
            tensors[name] = torch.from_numpy(array.astype(np.int64))
        return types.SimpleNamespace(**tensors)

    def pyg(self):
        """The same as a torch_geometric Data."""
        import torch
        from torch_geometric.data import Data
        t = self.torch()
        data = Data(x=t.x, edge_index=t.edge_index, y=t.labels)
        for part in ("train", "val", "test"):
            mask = torch.zeros(self.items, dtype=torch.bool)
            mask[getattr(t, part)] = True
            data[f"{part}_mask"] = mask
        return data


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
