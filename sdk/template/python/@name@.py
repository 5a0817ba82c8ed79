# SPDX-License-Identifier: Apache-2.0
"""@name@: a graph convolutional network, to be made into your method.

    H = Drop(ReLU(A X W + b))      logits = A H W' + b'      A = D^-1/2 (adjacency + I) D^-1/2

Kipf, Welling. Semi-Supervised Classification with Graph Convolutional Networks. ICLR 2017."""
import torch
import torch.nn.functional as F

import crucible

try:
    from torch_geometric.nn import GCNConv
except ImportError:
    GCNConv = None


class Conv(torch.nn.Module):
    """The same layer in plain PyTorch."""

    def __init__(self, inputs, outputs):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.empty(inputs, outputs))
        self.bias = torch.nn.Parameter(torch.zeros(outputs))
        torch.nn.init.xavier_uniform_(self.weight)

    def forward(self, x, adjacency):
        return torch.sparse.mm(adjacency, x @ self.weight) + self.bias


class Net(torch.nn.Module):
    """TODO: your model. It may be copied as it is from where it is published."""

    def __init__(self, layer, inputs, hidden, classes, dropout):
        super().__init__()
        self.first, self.second, self.dropout = layer(inputs, hidden), layer(hidden, classes), dropout

    def forward(self, x, graph):
        h = F.dropout(self.first(x, graph).relu(), self.dropout, self.training)
        return self.second(h, graph)


def normalised(graph):
    """D^-1/2 (adjacency + I) D^-1/2; a loop that is there already counts as the one that I adds."""
    n = graph.shape[0]
    source, target = torch.from_numpy(graph.edge_index)
    other = source != target
    loops = torch.arange(n)
    source, target = torch.cat([source[other], loops]), torch.cat([target[other], loops])
    scale = torch.bincount(target, minlength=n).float().rsqrt()
    return torch.sparse_coo_tensor(torch.stack([target, source]), scale[target] * scale[source], (n, n)).coalesce()


@crucible.method(
    name="@name@", version="0.1", summary="TODO: one line", problems="nodes, anomaly",
    authors="TODO", citation="TODO: where it is published", license="TODO",
    settings=dict(
        layers_from=crucible.Choice("plain", ["plain", "pyg"], "convolutions of this file, or of PyTorch Geometric"),
        hidden=crucible.Int(64, 1, 65536, "width", search=crucible.one_of(16, 32, 64, 128)),
        dropout=crucible.Float(0.5, 0, 0.99, "after the activation", search=crucible.one_of(0, 0.1, 0.3, 0.5, 0.7)),
        epochs=crucible.Int(200, 0, 1e9, "most training epochs"),
        lr=crucible.Float(0.01, 0, 10, "learning rate", search=crucible.log_uniform(1e-4, 0.1)),
        weight_decay=crucible.Float(5e-4, 0, 10, "L2 penalty", search=crucible.log_uniform(1e-6, 1e-2))))
class Method:
    def __init__(self):  # self.settings, self.seed and self.threads are there; torch is seeded
        if self.settings.layers_from == "pyg" and GCNConv is None:
            raise crucible.Unsupported("layers_from = pyg needs torch_geometric")

    def fit(self, task, monitor):
        s, t = self.settings, task.torch()
        pyg = s.layers_from == "pyg"
        if task.graph is None or t.x is None:
            raise crucible.Unsupported("needs a graph and features")
        if task.candidates is not None:
            raise crucible.Unsupported("needs one label an item")
        net = Net(GCNConv if pyg else Conv, task.features, s.hidden, task.classes, s.dropout)
        inputs = (t.x, t.edge_index if pyg else normalised(task.graph))
        optimiser = torch.optim.Adam(net.parameters(), lr=s.lr, weight_decay=s.weight_decay)
        self.scores = self.judge(net, inputs)
        for _ in monitor.epochs(s.epochs):
            net.train()
            optimiser.zero_grad()
            loss = F.cross_entropy(net(*inputs)[t.train], t.labels[t.train])
            loss.backward()
            optimiser.step()
            scores = self.judge(net, inputs)
            verdict = monitor.epoch(scores, loss)
            if verdict.keep:  # the best epoch so far by the experiment's rule
                self.scores, self.net = scores, {k: v.clone() for k, v in net.state_dict().items()}
            if verdict.stop:
                break

    @staticmethod
    def judge(net, inputs):
        net.eval()
        with torch.no_grad():
            return net(*inputs)

    def predict(self):  # items x classes
        return self.scores
