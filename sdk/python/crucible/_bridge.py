# SPDX-License-Identifier: Apache-2.0
"""What the host executes: describes or checks one script, or forks a worker for each trial (core/python/interpreter.h)."""
import sys

command, library, modules, search, scratch, *rest = sys.argv[1:]
sys.path[:] = [p for p in search.split("\n") if p] + [modules]

import ast  # noqa: E402
import ctypes  # noqa: E402
import gc  # noqa: E402
import importlib  # noqa: E402
import os  # noqa: E402
import signal  # noqa: E402
import tempfile  # noqa: E402
import warnings  # noqa: E402

# Packages ask who runs them, which a locked process cannot find out, and where files may go; a trial gets its own folder.
os.environ["LOGNAME"] = "crucible"
os.environ["TMPDIR"] = tempfile.tempdir = scratch


failed = {}  # packages that could not be imported, and why


def names_in(node):
    """What an import statement may load: the modules it names, and those that its names may be."""
    if isinstance(node, ast.Import):
        return [a.name for a in node.names]
    if isinstance(node, ast.ImportFrom):
        parent = node.module or ""
        return [parent] + [f"{parent}.{a.name}".lstrip(".") for a in node.names if a.name != "*"]
    return []


def imported(path, root, seen):
    """Names of packages that a script and the modules beside it import; read, not run."""
    if path in seen or not os.path.isfile(path):
        return
    seen.add(path)
    try:
        with open(path, "rb") as file:
            tree = ast.parse(file.read())
    except (OSError, SyntaxError, ValueError):
        return  # the script's own process says so
    for node in ast.walk(tree):
        near = os.path.dirname(path) if getattr(node, "level", 0) else root
        for name in names_in(node):
            beside = os.path.join(near, *name.split("."))
            if os.path.exists(os.path.join(near, name.split(".")[0])) or os.path.exists(beside + ".py"):
                yield from imported(beside + ".py", root, seen)
                yield from imported(os.path.join(beside, "__init__.py"), root, seen)
            elif name and not getattr(node, "level", 0):
                yield name


def import_before(paths):
    """Packages are imported once, before a script is run and before a process is forked for it."""
    for path in paths:
        for name in sorted(set(imported(path, os.path.dirname(path), set()))):
            if name.split(".")[0] in ("crucible", "__future__"):
                continue
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    importlib.import_module(name)
            except (Exception, SystemExit) as error:  # the script's own process says so, if it comes to that
                failed.setdefault(name.split(".")[0], error)


def prepare():
    """What torch loads when it is first seeded and when an optimiser is made: as long as the import itself, so once."""
    from . import _plugin
    _plugin.seed_all(0, 1)
    if "torch" in sys.modules:
        try:
            importlib.import_module("torch._dynamo")
        except Exception:
            pass  # older ones have none
    gc.collect()
    gc.freeze()  # else a trial's first collection would look at, and so copy, all that was imported


def main():
    from . import _abi, _plugin
    lib = _abi.declare(ctypes.PyDLL(library))
    opened = _abi.OpenFn(_plugin.opener(lib, failed))
    if command == "scan":
        pipe, ruleset, seconds, path = int(rest[0]), int(rest[1]), int(rest[2]), rest[3]
        import_before([path])
        os._exit(lib.bridge_scan(pipe, ruleset, seconds, os.fsencode(path), opened))
    if command == "serve":
        # before packages start threads, one of which would else swallow what the nursery waits for
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
        import_before(rest)
        prepare()
        lib.bridge_serve(3, opened, _abi.ForkFn(os.fork))
    if command == "check":
        seconds, form, path, python, readable = rest
        path = os.path.realpath(path)
        import_before([path])
        prepare()
        how = _abi.Case(path=os.fsencode(path), python=os.fsencode(python), readable=os.fsencode(readable),
                        seconds=int(seconds), json=form == "json", open=opened, fork_it=_abi.ForkFn(os.fork))
        os._exit(lib.bridge_check(ctypes.byref(how)))


if __name__ == "__main__":
    __package__ = "crucible"
    import crucible  # noqa: E402,F401
    main()
