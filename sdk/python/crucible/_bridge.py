# SPDX-License-Identifier: Apache-2.0
"""What the host executes: describes one script, or forks a worker for each trial (core/python/interpreter.h)."""
import sys

command, library, modules, search, *rest = sys.argv[1:]
sys.path[:] = [p for p in search.split("\n") if p] + [modules]

import ast  # noqa: E402
import ctypes  # noqa: E402
import importlib  # noqa: E402
import os  # noqa: E402


def imported(path, seen):
    """Names of packages that a script and the modules beside it import; read, not run."""
    if path in seen or not os.path.isfile(path):
        return
    seen.add(path)
    try:
        tree = ast.parse(open(path, "rb").read())
    except (OSError, SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names = [a.name for a in node.names] if isinstance(node, ast.Import) else \
            [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        for name in names:
            beside = os.path.join(os.path.dirname(path), *name.split("."))
            if os.path.exists(beside + ".py") or os.path.isdir(beside):
                yield from imported(beside + ".py", seen)
            else:
                yield name.split(".")[0]


def import_before(paths):
    """Packages are imported once, before the script is run and before a process is forked for it."""
    for path in paths:
        for name in sorted(set(imported(path, set())) - {"crucible"}):
            try:
                importlib.import_module(name)
            except ImportError:
                pass  # the script says so itself, in its own process


def main():
    from . import _abi, _plugin
    lib = _abi.declare(ctypes.PyDLL(library))
    opened = _abi.OpenFn(_plugin.opener(lib))
    if command == "scan":
        pipe, ruleset, seconds, path = int(rest[0]), int(rest[1]), int(rest[2]), rest[3]
        import_before([path])
        os._exit(lib.bridge_scan(pipe, ruleset, seconds, os.fsencode(path), opened))
    if command == "serve":
        import_before(rest)
        lib.bridge_serve(3, opened, _abi.ForkFn(os.fork))


if __name__ == "__main__":
    __package__ = "crucible"
    import crucible  # noqa: E402,F401
    main()
