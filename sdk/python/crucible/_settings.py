# SPDX-License-Identifier: Apache-2.0
"""What a method declares: its name, problems and settings. The host checks all of it, as it does for methods in C."""
import math

declared = []  # the methods of the file that was run


class Setting:
    kind, choices, text, number, low, high = None, (), None, 0.0, 0.0, 0.0

    def __init__(self, help, search=None):
        self.help, self.search = help, search


class Int(Setting):
    kind = "int"

    def __init__(self, default, low, high, help, search=None):
        super().__init__(help, search)
        self.number, self.low, self.high = float(default), float(low), float(high)


class Float(Int):
    kind = "float"


class Bool(Setting):
    kind, high = "bool", 1.0

    def __init__(self, default, help, search=None):
        super().__init__(help, search)
        self.number = float(bool(default))


class Choice(Setting):
    kind = "choice"

    def __init__(self, default, choices, help, search=None):
        super().__init__(help, search)
        self.choices = tuple(choices)
        self.number = float(self.choices.index(default))


class Text(Setting):
    kind = "text"

    def __init__(self, default, help):
        super().__init__(help)
        self.text = default


class List(Setting):
    kind = "list"

    def __init__(self, default, low, high, help):
        super().__init__(help)
        self.text, self.low, self.high = ", ".join(f"{v:g}" for v in default), float(low), float(high)


def one_of(*values):
    """One of the numbers; without any, one of all choices."""
    return ("one_of", 0.0, 0.0, tuple(float(v) for v in values))


def uniform(low, high):
    return ("uniform", float(low), float(high), ())


def log_uniform(low, high):
    return ("log_uniform", float(low), float(high), ())


def power_of_2(low, high):
    """2 to a whole number from low to high - 1."""
    return ("power_of_2", float(low), float(high), ())


def method(name, version, summary, problems="nodes", settings=None, authors=None, citation=None, license=None,
           homepage=None, categories=None):
    """Declares the class below as the method of this file. `problems`: some of nodes, graphs, anomaly, rows."""
    if not isinstance(name, str):
        raise TypeError("crucible.method needs a name, a version and a summary: @crucible.method(name=...)")

    def declare(cls):
        for wanted in ("fit", "predict"):
            if not callable(getattr(cls, wanted, None)):
                raise TypeError(f"class {cls.__name__} has no {wanted}()")
        declared.append(dict(cls=cls, name=name, version=version, summary=summary, problems=problems,
                             settings=dict(settings or {}), authors=authors, citation=citation, license=license,
                             homepage=homepage, categories=categories))
        return cls
    return declare


NO_LIMIT = math.inf
