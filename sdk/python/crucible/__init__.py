# SPDX-License-Identifier: Apache-2.0
"""Methods for Crucible in Python.

A file with one class below `@crucible.method(...)` is a method. It is run by the same host, on the same splits and damage,
under the same stopping rule, limits and sandbox as a method in C:

    import crucible, numpy as np

    @crucible.method(
        name="centroid", version="1.0", summary="the nearest mean of the training items", problems="nodes, rows",
        settings=dict(scale=crucible.Float(1.0, 0.01, 100, "of the distance", search=crucible.log_uniform(0.1, 10))))
    class Centroid:
        def fit(self, task, monitor): ...    # self.settings, self.seed and self.threads are there, also in __init__
        def predict(self): ...               # items x classes, logits; numpy or torch
        # optional: embed() -> items x any, report() -> {name: number or array}, widen(task)

Methods need numpy; torch is used when it is there. Results are read with

    frame = crucible.open("results.db")      # pandas; crucible.trials gives a list of dicts"""
from ._results import open, trials
from ._settings import (Bool, Choice, Float, Int, List, Text, log_uniform, method, one_of, power_of_2, uniform)


class Unsupported(Exception):
    """A task that the method cannot do; the message says why."""


class Diverged(Exception):
    """Training ended in numbers that are not finite."""


__all__ = ["Bool", "Choice", "Diverged", "Float", "Int", "List", "Text", "Unsupported", "log_uniform", "method",
           "one_of", "open", "power_of_2", "trials", "uniform"]
