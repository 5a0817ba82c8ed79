# SPDX-License-Identifier: Apache-2.0
"""The nearest mean of the training items, after one step over the graph. numpy alone: for tests."""
import numpy as np

import crucible


@crucible.method(
    name="centroid", version="1.0", summary="the nearest mean of the training items", problems="nodes, anomaly, rows",
    settings=dict(scale=crucible.Float(1.0, 0.01, 100, "of the distance", search=crucible.log_uniform(0.1, 10)),
                  spread=crucible.Bool(True, "mean over neighbours first"),
                  jitter=crucible.Float(0.0, 0, 1, "of the scores, at random")))
class Centroid:
    def place(self, task):
        x = task.x_dense()
        if self.settings.spread and task.graph is not None:
            source, target = task.graph.edge_index
            total, count = x.copy(), np.ones((len(x), 1), np.float32)
            np.add.at(total, target, x[source])
            np.add.at(count, target, 1)
            x = total / count
        return x

    def fit(self, task, monitor):
        train, labels = task.split.train, task.labels[task.split.train]
        x = self.place(task)
        mean = x[train].mean(0)
        self.means = np.stack([x[train][labels == c].mean(0) if (labels == c).any() else mean
                               for c in range(task.classes)])
        self.widen(task)
        monitor.epoch(self.scores, 0.0)

    def widen(self, task):
        x = self.place(task)
        self.scores = -self.settings.scale * ((x[:, None] - self.means[None]) ** 2).sum(2)
        self.scores = self.scores + self.settings.jitter * np.random.default_rng(self.seed).normal(size=self.scores.shape)

    def predict(self):
        return self.scores

    def embed(self):
        return self.scores

    def report(self):
        return {"means": self.means[:, :4], "scale": self.settings.scale}
