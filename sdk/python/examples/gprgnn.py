# SPDX-License-Identifier: Apache-2.0
"""The model of a published repository, unchanged: src/GNN_models.py of github.com/jianhao2016/GPRGNN lies beside this file.
Chien, Peng, Li, Milenkovic. Adaptive Universal Generalized PageRank Graph Neural Network. ICLR 2021."""
import torch
import torch.nn.functional as F
from GNN_models import GPRGNN
import crucible


@crucible.method(
    name="authors-gprgnn", version="1.0", summary="the authors' GPRGNN", problems="nodes", settings=dict(
        hidden=crucible.Int(64, 1, 4096, "width"), hops=crucible.Int(10, 1, 100, "steps of propagation"),
        alpha=crucible.Float(0.1, 0, 1, "of the first weights", search=crucible.one_of(0.1, 0.2, 0.5, 0.9)),
        dropout=crucible.Float(0.5, 0, 0.99, "of features"), dprate=crucible.Float(0.5, 0, 0.99, "before propagation"),
        lr=crucible.Float(0.01, 0, 1, "learning rate"), epochs=crucible.Int(1000, 1, 100000, "most training epochs")))
class Method:
    def fit(self, task, monitor):
        s, t, data = self.settings, task.torch(), task.pyg()
        s.K, s.ppnp, s.Init, s.Gamma = s.hops, "GPR_prop", "PPR", None  # as the script that reproduces the paper has it
        data.num_classes = task.classes
        net = GPRGNN(data, s)
        decayed = [*net.lin1.parameters(), *net.lin2.parameters()]
        optimiser = torch.optim.Adam([dict(params=decayed, weight_decay=5e-4), dict(params=net.prop1.parameters())], lr=s.lr)
        for _ in monitor.epochs(s.epochs):
            net.train()
            optimiser.zero_grad()
            loss = F.nll_loss(net(data)[t.train], t.labels[t.train])
            loss.backward()
            optimiser.step()
            net.eval()
            with torch.no_grad():
                scores = net(data)
            verdict = monitor.epoch(scores, loss)
            if verdict.keep:
                self.scores = scores
            if verdict.stop:
                break

    def predict(self):
        return self.scores
