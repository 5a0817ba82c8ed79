# SPDX-License-Identifier: Apache-2.0
"""Methods of the imbalance study on nodes of Cora: one tenth trains."""
import torch

from frame import GCN, Method, Sparse, Task, normalised

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


METHODS = {"gcn": Gcn}
