# SPDX-License-Identifier: Apache-2.0
"""Results in Python: what `crucible export` writes, one row a trial. Reads the store and never writes to it."""
import os
import pathlib
import sqlite3

OUTCOMES = ("pending", "ok", "oom", "timeout", "crashed", "failed")
TRIALS = """SELECT t.id, e.name AS experiment, t.key, m.alias, t.outcome, t.message, t.seconds_total AS "seconds",
    t.seconds_to_best AS "seconds-to-best", t.peak_bytes / 1048576.0 AS "peak-mib", t.best_epoch AS "best-epoch"
    FROM member m JOIN trial t ON t.id = m.trial JOIN experiment e ON e.id = m.experiment
    ORDER BY m.experiment, m.position"""


def number(text):
    """A setting as a number where it is one."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            pass
    return {"true": True, "false": False}.get(text, text)


def connect(path):
    if not os.path.isfile(path):
        raise FileNotFoundError(f"there is no store {path}")
    store = sqlite3.connect(pathlib.Path(path).absolute().as_uri() + "?mode=ro", uri=True)
    store.row_factory = sqlite3.Row
    return store


def trials(path="results.db"):
    """A list of dicts, one a trial: experiment, key, method, outcome, message, its settings, its numbers (an accuracy is
    a share, not per cent), seconds, peak-mib. A trial that two experiments list stands twice."""
    store = connect(path)
    try:
        rows, parts = store.execute(TRIALS).fetchall(), {}
        for name, convert in (("setting", number), ("number", float)):
            for trial, key, value in store.execute(f"SELECT trial, name, value FROM {name}"):
                parts.setdefault(trial, {})[key] = None if value is None else convert(value)
    except sqlite3.DatabaseError as error:
        raise ValueError(f"{path} is not a results store: {error}") from None
    finally:
        store.close()
    out = []
    for row in rows:
        values = dict(row)
        found = parts.get(values.pop("id"), {})
        method = values.pop("alias") or found.get("algorithm")
        out.append({"experiment": values.pop("experiment"), "key": values.pop("key"), "method": method,
                    "outcome": OUTCOMES[values.pop("outcome")], "message": values.pop("message"), **found, **values})
    return out


def open(path="results.db"):
    """The same as a pandas frame."""
    try:
        import pandas
    except ImportError:
        raise ImportError("crucible.open needs pandas; crucible.trials gives the same as a list of dicts") from None
    return pandas.DataFrame(trials(path))
