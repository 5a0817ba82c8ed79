# SPDX-License-Identifier: Apache-2.0
"""Compares metrics with scikit-learn on random cases with ties and missing classes.

    metrics-sklearn.py METRIC-VALUES PLUGIN-FOLDER

Where scikit-learn refuses (one class only, a class missing from the truth) the metric must answer nan.
"""
import subprocess
import sys
import warnings

import numpy as np
from sklearn import metrics as sk

CASES = 1000
METRICS = ["accuracy", "balanced-accuracy", "macro-f1", "micro-f1", "weighted-f1", "per-class-recall", "g-mean", "auroc",
           "auprc", "auc-ovr", "auc-ovr:missing=skip", "log-loss", "brier", "silhouette"]


def draw(rng):
    """Few distinct rows of scores, so that many items tie, and truths that may leave classes out."""
    classes = max(2, int(rng.integers(0, 7)))
    items = int(rng.integers(1, 60))
    rows = rng.normal(size=(int(rng.integers(1, 30)), classes)).round(2).astype(np.float32)
    if rng.random() < 0.3:
        rows = (rows * 2).round() / 2  # ties between classes, too
    scores = rows[rng.integers(0, len(rows), items)]
    present = rng.permutation(classes)[: int(rng.integers(1, classes + 1))]
    return rng.choice(present, items), scores


def areas(truth, probability):
    """One against the rest, where both sides have items. Probabilities that differ only by rounding are ties."""
    one_hot = np.eye(probability.shape[1])[truth]
    known = (one_hot.sum(0) > 0) & (one_hot.sum(0) < len(truth))
    if not known.any():
        return np.array([])
    ranked = np.log(probability).astype(np.float32)
    return np.atleast_1d(sk.roc_auc_score(one_hot[:, known], ranked[:, known], average=None))


def expected(truth, scores):
    classes = scores.shape[1]
    z = scores.astype(np.float64)
    probability = np.exp(z - z.max(1, keepdims=True))
    probability /= probability.sum(1, keepdims=True)
    guess = scores.argmax(1)
    _, recall, f1, items = sk.precision_recall_fscore_support(truth, guess, zero_division=0)
    recall = recall[items > 0]
    known = areas(truth, probability)
    values = {"accuracy": sk.accuracy_score(truth, guess),
              "balanced-accuracy": sk.balanced_accuracy_score(truth, guess),
              "macro-f1": f1.mean(),
              "micro-f1": sk.f1_score(truth, guess, average="micro"),
              "weighted-f1": np.average(f1, weights=items),
              "per-class-recall": recall.min(),
              "g-mean": recall.prod() ** (1 / len(recall)),
              "log-loss": sk.log_loss(truth, probability, labels=range(classes)),
              "brier": ((probability - np.eye(classes)[truth]) ** 2).sum(1).mean(),
              "auc-ovr": known.mean() if len(known) == classes else np.nan,
              "auc-ovr:missing=skip": known.mean() if len(known) else np.nan}
    if classes == 2:
        margin = z[:, 1] - z[:, 0]
        both = len(np.unique(truth)) == 2
        values["auroc"] = sk.roc_auc_score(truth, margin) if both else np.nan
        values["auprc"] = sk.average_precision_score(truth, margin) if truth.any() else np.nan
        values["brier"] = 2 * sk.brier_score_loss(truth, probability[:, 1], pos_label=1)
        if both:
            values["auc-ovr"] = values["auc-ovr:missing=skip"] = values["auroc"]
    groups = len(np.unique(truth))
    if groups == 1:
        values["silhouette"] = np.nan
    elif groups < len(truth):
        values["silhouette"] = sk.silhouette_score(scores.astype(np.float64), truth)
    return values


def main():
    rng = np.random.default_rng(1)
    cases = [draw(rng) for _ in range(CASES)]
    text = "".join(f"{len(truth)} {scores.shape[1]} {' '.join(map(str, truth))} "
                   f"{' '.join(repr(float(s)) for s in scores.ravel())}\n" for truth, scores in cases)
    answer = subprocess.run([sys.argv[1], sys.argv[2], *METRICS], input=text, capture_output=True, text=True, check=True)
    worst, compared = {}, dict.fromkeys(METRICS, 0)
    for number, ((truth, scores), line) in enumerate(zip(cases, answer.stdout.splitlines(), strict=True)):
        ours = dict(zip(METRICS, line.split(), strict=True))
        for name, value in expected(truth, scores).items():
            off = 0 if np.isnan(value) and ours[name] == "nan" else abs(float(ours[name]) - value)
            if not off <= 1e-7:
                print(f"case {number}: {name} is {ours[name]}, scikit-learn says {value}\n{truth}\n{scores}")
                return 1
            worst[name] = max(worst.get(name, 0), off)
            compared[name] += not np.isnan(value)
    for name in METRICS:
        print(f"{name}: {compared[name]} values, largest difference {worst[name]:.1e}")
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
