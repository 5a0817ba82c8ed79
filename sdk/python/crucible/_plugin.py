# SPDX-License-Identifier: Apache-2.0
"""A script as a cru_plugin: its declaration as a parameter table, its class behind a vtable."""
import ctypes
import gc
import importlib.util
import os
import random
import sys
import tempfile
import traceback
import types

import numpy as np

from . import Diverged, Unsupported, _abi, _settings, _task

kept = []  # what the host points to lives as long as the process


def text(value):
    return None if value is None else str(value).encode()


def table(settings):
    """The parameter table, the settings struct's size and the place of each field."""
    params, places, at = (_abi.Param * (len(settings) + 1))(), {}, 0
    for param, (key, s) in zip(params, settings.items()):
        if not isinstance(s, _settings.Setting):
            raise TypeError(f"setting {key}: not one of crucible.Int, Float, Bool, Choice, Text, List")
        param.key, param.type, param.offset, param.help = text(key), _abi.PARAM[s.kind], at, text(s.help)
        param.number, param.min, param.max, param.text = s.number, s.low, s.high, text(s.text)
        if s.choices:
            param.choices = (ctypes.c_char_p * (len(s.choices) + 1))(*map(text, s.choices), None)
        if s.search:
            kind, param.search.lo, param.search.hi, values = s.search
            param.search.kind, param.search.count = _abi.SEARCH[kind], len(values)
            if values:
                param.search.values = (ctypes.c_double * len(values))(*values)
        places[key] = at
        at += 16 if s.kind == "list" else 8
    kept.append(params)
    return params, at, places


def read_settings(settings, places, address):
    """The host's struct as attributes."""
    out = types.SimpleNamespace()
    for key, s in settings.items():
        def field(kind, where=address + places[key]):
            return kind.from_address(where)
        if s.kind in ("int", "choice"):
            value = field(ctypes.c_int64).value
            value = s.choices[value] if s.choices else value
        elif s.kind == "list":
            numbers = field(_abi.Numbers)
            value = [numbers.values[i] for i in range(numbers.count)]
        elif s.kind == "text":
            value = field(ctypes.c_char_p).value.decode()
        else:
            value = field({"float": ctypes.c_double, "bool": ctypes.c_bool}[s.kind]).value
        setattr(out, key.replace("-", "_"), value)
    return out


def seed_all(seed, threads):
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch = sys.modules.get("torch")
    if torch:
        torch.set_num_threads(max(threads, 1))
        torch.manual_seed(seed % 2**63)
        torch.use_deterministic_algorithms(True)


def status_of(error):
    if isinstance(error, Unsupported):
        return _abi.UNSUPPORTED
    if isinstance(error, (Diverged, FloatingPointError)):
        return _abi.DIVERGED
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return _abi.NO_MEMORY
    return _abi.FAILED


def one_line(error):
    """'ValueError: text (my_gnn.py:41)': the place is the last one outside this module."""
    here = os.path.dirname(__file__)
    if isinstance(error, SyntaxError):
        return f"SyntaxError: {error.msg} ({os.path.basename(error.filename or '?')}:{error.lineno})"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith((here, "<"))]
    place = f" ({os.path.basename(frames[-1].filename)}:{frames[-1].lineno})" if frames else ""
    message = " ".join(str(error).split())
    if isinstance(error, (Unsupported, Diverged)):
        return message or type(error).__name__
    return f"{type(error).__name__}{': ' if message else ''}{message[:400]}{place}"


class Host:
    """The vtable: the one instance of the process, and calls of it that end in a status."""

    def __init__(self, lib, spec, places):
        self.lib, self.spec, self.places = lib, spec, places
        self.ctx = self.task = self.object = None
        cls = spec["cls"]
        self.vtable = _abi.Algorithm(
            size=ctypes.sizeof(_abi.Algorithm), create=_abi.CreateFn(self.create),
            fit=_abi.FitFn(lambda _, m: self.guard(self.fit, m)),
            predict=_abi.PredictFn(lambda _, scores: self.guard(self.predict, scores)),
            destroy=_abi.DestroyFn(lambda _: self.drop()))
        if hasattr(cls, "embed"):
            self.vtable.embed = _abi.EmbedFn(lambda _, rows, cols: self.guard(self.embed, rows, cols))
        if hasattr(cls, "widen"):
            self.vtable.widen = _abi.WidenFn(lambda _, task: self.guard(self.widen, task))
        if hasattr(cls, "report"):
            self.vtable.report = _abi.PredictFn(lambda _, report: self.guard(self.report, report))

    def guard(self, call, *arguments):
        try:
            call(*arguments)
            return _abi.OK
        except BaseException as error:  # whatever it is, it ends this trial and nothing else
            if not isinstance(error, Unsupported):
                traceback.print_exc()
            return self.lib.cru_ctx_fail(self.ctx, status_of(error), b"%s", one_line(error).encode()[:490])

    def create(self, self_out, plugin, settings, task, ctx):
        self.ctx = ctx

        def make():
            threads, seed = self.lib.cru_ctx_threads(ctx), self.lib.cru_ctx_seed(ctx)
            seed_all(seed, threads)
            if not task.contents.problem & problems(self.spec["problems"]):
                raise Unsupported("it solves " + self.spec["problems"])
            self.task = _task.Task(task.contents)
            one = self.spec["cls"].__new__(self.spec["cls"])
            one.settings, one.seed, one.threads = None, seed, threads
            one.settings = read_settings(self.spec["settings"], self.places, settings)
            one.__init__()
            self.object = one
            self_out[0] = 1
        return self.guard(make)

    def drop(self):
        self.ctx = self.task = self.object = None
        gc.collect()

    @property
    def shape(self):
        return self.task.items, self.task.classes

    def fit(self, monitor):
        self.object.fit(self.task, _task.Monitor(monitor.contents, self.shape))

    def predict(self, scores):
        values = _task.matrix(self.object.predict(), self.shape)
        ctypes.memmove(scores, values.ctypes.data, values.nbytes)
        if not np.isfinite(values).all():
            raise Diverged("scores are not finite")

    def embed(self, rows, cols):
        values = _task.matrix(self.object.embed())
        if values.ndim != 2 or len(values) != self.task.items:
            raise ValueError(f"an embedding of shape {values.shape} for {self.task.items} items")
        rows[0] = self.lib.cru_ctx_alloc(self.ctx, values.size, 4)
        ctypes.memmove(rows[0], values.ctypes.data, values.nbytes)
        cols[0] = values.shape[1]

    def widen(self, task):
        self.task = _task.Task(task.contents)
        self.object.widen(self.task)

    def report(self, report):
        for name, value in self.object.report().items():
            values = np.ascontiguousarray(value.detach().cpu() if hasattr(value, "detach") else value, np.float64)
            if values.ndim == 0:
                self.lib.cru_report_number(report, text(name), float(values))
            elif values.ndim == 1:
                self.lib.cru_report_vector(report, text(name), values.ctypes.data, len(values))
            else:
                self.lib.cru_report_matrix(report, text(name), values.ctypes.data, *values.shape)


def problems(words):
    bits = 0
    for word in words.replace(",", " ").split():
        if word not in _abi.PROBLEMS:
            raise ValueError(f"problem '{word}' is none of {', '.join(_abi.PROBLEMS)}")
        bits |= _abi.PROBLEMS[word]
    return bits


def build(lib, spec):
    params, size, places = table(spec["settings"])
    host = Host(lib, spec, places)
    plugin = _abi.Plugin(abi_major=_abi.ABI_MAJOR, abi_minor=_abi.ABI_MINOR, size=ctypes.sizeof(_abi.Plugin),
                         kind=_abi.KIND_ALGORITHM, problems=problems(spec["problems"]), settings_size=size,
                         params=params if spec["settings"] else None, vtable=ctypes.addressof(host.vtable))
    for name in ("name", "version", "summary", "authors", "citation", "license", "homepage", "categories"):
        setattr(plugin, name, text(spec[name]))
    kept.extend((host, plugin))
    return plugin


def enter_scratch():
    """The folder that the host has given this trial, if any: it was set behind Python's back."""
    getenv = ctypes.PyDLL(None).getenv
    getenv.restype, getenv.argtypes = ctypes.c_char_p, [ctypes.c_char_p]
    folder = getenv(b"TMPDIR")
    if folder:
        os.environ["TMPDIR"] = tempfile.tempdir = os.fsdecode(folder)


def load(lib, path):
    """Runs the script; the plugin that it declares."""
    enter_scratch()
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location(os.path.splitext(os.path.basename(path))[0], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    if len(_settings.declared) != 1:
        raise ValueError(f"declares {len(_settings.declared)} methods with @crucible.method, and must declare one")
    return build(lib, _settings.declared[0])


def opener(lib, failed):
    """For the bridge: a script by its path. `failed`: the first reasons why packages were not imported beforehand."""
    def open_script(path, plugin, err):
        try:
            plugin[0] = ctypes.addressof(load(lib, os.fsdecode(path)))
            return _abi.OK
        except BaseException as error:
            traceback.print_exc()
            if isinstance(error, ImportError):  # one that names no module stems from the first
                error = failed.get((error.name or next(iter(failed), "")).split(".")[0], error)
            # what a package lacks today it may have tomorrow
            status = _abi.IO if isinstance(error, (ImportError, OSError)) else _abi.BAD_INPUT
            err.contents.status, err.contents.text = status, one_line(error).encode()[:490]
            return status
    return open_script
