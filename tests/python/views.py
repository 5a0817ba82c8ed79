# SPDX-License-Identifier: Apache-2.0
"""What a method sees of a task, against tasks written by hand: views of the host's pages, read-only, nothing copied."""
import ctypes
import sys

import numpy as np

from crucible import _abi, _task

kept = []


def pointer(values, kind):
    if values is None:
        return None
    array = (kind * max(len(values), 1))(*values)
    kept.append(array)
    return ctypes.cast(array, ctypes.POINTER(kind))


def csr(offsets, ids, cols, values=None):
    return _abi.Csr(rows=len(offsets) - 1, cols=cols, offsets=pointer(offsets, ctypes.c_int64),
                    ids=pointer(ids, ctypes.c_int32), values=pointer(values, ctypes.c_float))


def ids(values):
    return _abi.Ids(ids=pointer(values, ctypes.c_int32), count=len(values))


def task(**fields):
    return _task.Task(_abi.Task(size=ctypes.sizeof(_abi.Task), **fields))


def same(array, wanted):
    assert np.array_equal(np.asarray(array), np.asarray(wanted)), (array, wanted)


def refuses(array):
    try:
        array[0] = 1
    except ValueError:
        return
    raise AssertionError("can be written")


# Three nodes: 0 reads from 1 and 2, 2 from 0; two kinds of edges; features 2 x sparse.
relations = (_abi.Relation * 2)(_abi.Relation(name=b"likes", graph=csr([0, 1, 1, 1], [1], 3)),
                                _abi.Relation(name=b"knows", graph=csr([0, 1, 1, 2], [2, 0], 3)))
nodes = task(problem=1, items=3, nodes=3, classes=2, graph=csr([0, 2, 2, 3], [1, 2, 0], 3, [0.5, 2, 3]),
             relations=ctypes.cast(relations, ctypes.POINTER(_abi.Relation)), relation_count=2,
             x=_abi.Features(rows=3, cols=2, sparse=csr([0, 1, 1, 3], [1, 0, 1], 2, [5, 6, 7])),
             labels=pointer([1, -1, 0], ctypes.c_int32), split=_abi.Split(train=ids([0, 2]), val=ids([]), test=ids([1])))
assert nodes.problem == "nodes" and nodes.features == 2 and nodes.graph_offsets is None and nodes.batch is None
same(nodes.graph.edge_index, [[1, 2, 0], [0, 0, 2]])
same(nodes.graph.dense(), [[0, 0.5, 2], [0, 0, 0], [3, 0, 0]])
same(nodes.x_dense(), [[0, 5], [0, 0], [6, 7]])
same(nodes.labels, [1, -1, 0])
same(nodes.split.train, [0, 2])
same(nodes.split.val, [])
assert list(nodes.relations) == ["likes", "knows"] and nodes.relations["likes"].values is None
same(nodes.relations["knows"].edge_index, [[2, 0], [0, 2]])
for array in (nodes.labels, nodes.graph.indptr, nodes.graph.indices, nodes.graph.values, nodes.x.values, nodes.split.train):
    refuses(array)
assert nodes.labels.ctypes.data in (ctypes.addressof(array) for array in kept), "a copy"

# Two whole graphs, of two nodes and one; the first has an edge each way, the second a loop.
dense = np.arange(6, dtype=np.float32)
kept.append(dense)
whole = task(problem=2, items=2, nodes=3, classes=2, graph=csr([0, 1, 2, 3], [1, 0, 2], 3),
             graph_offsets=pointer([0, 2, 3], ctypes.c_int64),
             x=_abi.Features(rows=3, cols=2, dense=dense.ctypes.data_as(ctypes.POINTER(ctypes.c_float))),
             labels=pointer([1, 0], ctypes.c_int32), split=_abi.Split(train=ids([0]), val=ids([1]), test=ids([])))
same(whole.batch, [0, 0, 1])
same(whole.x, [[0, 1], [2, 3], [4, 5]])
assert whole.x.ctypes.data == dense.ctypes.data, "a copy"

# Rows with sets of labels, as images of 1 x 1 x 2.
rows = task(problem=8, items=2, nodes=2, classes=3, candidates=pointer([1, 0, 1, 0, 1, 0], ctypes.c_uint8),
            x=_abi.Features(rows=2, cols=2, channels=1, height=1, width=2,
                            dense=dense.ctypes.data_as(ctypes.POINTER(ctypes.c_float))),
            labels=pointer([-1, -1], ctypes.c_int32), split=_abi.Split(train=ids([0]), val=ids([1]), test=ids([])))
same(rows.candidates, [[1, 0, 1], [0, 1, 0]])
assert rows.graph is None and rows.relations == {} and rows.image == (1, 1, 2)
refuses(rows.candidates)

try:
    import torch
except ImportError:
    print("SKIP: no torch: task.torch()")
    sys.exit(0)
t = nodes.torch()
same(t.x, [[0, 5], [0, 0], [6, 7]])
same(t.edge_weight, [0.5, 2, 3])
same(t.relations["likes"], [[1], [0]])
assert t.labels.dtype == torch.int64 and t.batch is None and t.candidates is None
same(whole.torch().batch, [0, 0, 1])
assert whole.torch().x.data_ptr() == dense.ctypes.data, "a copy"
same(rows.torch().candidates, [[True, False, True], [False, True, False]])
assert rows.torch().edge_index is None

try:
    import torch_geometric  # noqa: F401
except ImportError:
    print("SKIP: no torch_geometric: task.pyg()")
    sys.exit(0)
data = nodes.pyg()
same(data.train_mask, [True, False, True])
same(data.test_mask, [False, True, False])
assert data.num_nodes == 3 and data.validate()
first, second = whole.pyg()
same(first.edge_index, [[1, 0], [0, 1]])
same(second.edge_index, [[0], [0]])
same(second.x, [[4, 5]])
same(first.y, [1])
assert (first.item, second.item, first.num_nodes, second.num_nodes) == (0, 1, 2, 1) and second.validate()
