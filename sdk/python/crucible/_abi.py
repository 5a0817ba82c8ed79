# SPDX-License-Identifier: Apache-2.0
"""The structs of sdk/include/crucible, as ctypes: plugin.h, params.h, task.h, status.h; checked when they are loaded."""
from ctypes import (POINTER, PYFUNCTYPE, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int32,
                    c_int64, c_size_t, c_uint8, c_uint32, c_uint64, c_void_p, sizeof)

OK, FAILED, BAD_INPUT, UNSUPPORTED, NO_MEMORY, IO, DIVERGED = range(7)
ABI_MAJOR, ABI_MINOR, KIND_ALGORITHM = 2, 0, 3
PROBLEMS = {"nodes": 1, "graphs": 2, "anomaly": 4, "rows": 8}
PARAM = {"int": 1, "float": 2, "bool": 3, "choice": 4, "text": 5, "list": 6}
SEARCH = {"one_of": 1, "uniform": 2, "log_uniform": 3, "power_of_2": 4}


def struct(title, /, **fields):
    return type(title, (Structure,), {"_fields_": list(fields.items())})


Error = struct("Error", status=c_int, text=c_char * 500)
Numbers = struct("Numbers", values=POINTER(c_double), count=c_int64)
Search = struct("Search", kind=c_int, lo=c_double, hi=c_double, values=POINTER(c_double), count=c_int64)
Param = struct("Param", key=c_char_p, type=c_int, offset=c_size_t, number=c_double, text=c_char_p, min=c_double,
               max=c_double, choices=POINTER(c_char_p), group=c_void_p, search=Search, help=c_char_p)
Csr = struct("Csr", rows=c_int64, cols=c_int64, offsets=POINTER(c_int64), ids=POINTER(c_int32),
             values=POINTER(c_float))
Ids = struct("Ids", ids=POINTER(c_int32), count=c_int64)
Split = struct("Split", train=Ids, val=Ids, test=Ids)
Relation = struct("Relation", name=c_char_p, graph=Csr)
Features = struct("Features", rows=c_int64, cols=c_int64, dense=POINTER(c_float), sparse=Csr, channels=c_int32,
                  height=c_int32, width=c_int32)
Task = struct("Task", size=c_uint32, problem=c_int, items=c_int64, nodes=c_int64, classes=c_int32, graph=Csr,
              graph_offsets=POINTER(c_int64), relations=POINTER(Relation), relation_count=c_int32, x=Features,
              labels=POINTER(c_int32), candidates=POINTER(c_uint8), split=Split, seed=c_uint64)
EpochFn = PYFUNCTYPE(c_uint32, c_void_p, c_int64, c_double, c_void_p)
Monitor = struct("Monitor", epoch=EpochFn, user=c_void_p, limit=c_int64, before_step=c_bool, validation_only=c_bool,
                 unless_dropout=c_bool)
CreateFn = PYFUNCTYPE(c_int, POINTER(c_void_p), c_void_p, c_void_p, POINTER(Task), c_void_p)
FitFn = PYFUNCTYPE(c_int, c_void_p, POINTER(Monitor))
PredictFn = PYFUNCTYPE(c_int, c_void_p, c_void_p)
EmbedFn = PYFUNCTYPE(c_int, c_void_p, POINTER(c_void_p), POINTER(c_int64))
DestroyFn = PYFUNCTYPE(None, c_void_p)
WidenFn = PYFUNCTYPE(c_int, c_void_p, POINTER(Task))
Algorithm = struct("Algorithm", size=c_uint32, create=CreateFn, fit=FitFn, predict=PredictFn, destroy=DestroyFn,
                   embed=EmbedFn, save=c_void_p, load=c_void_p, widen=WidenFn, select=c_void_p, report=PredictFn,
                   flags=c_uint32)
Plugin = struct("Plugin", abi_major=c_uint32, abi_minor=c_uint32, size=c_uint32, kind=c_int, name=c_char_p,
                version=c_char_p, summary=c_char_p, authors=c_char_p, citation=c_char_p, license=c_char_p,
                problems=c_uint32, settings_size=c_uint32, params=POINTER(Param), vtable=c_void_p, homepage=c_char_p,
                method=c_void_p, categories=c_char_p)
OpenFn = PYFUNCTYPE(c_int, c_char_p, POINTER(c_void_p), POINTER(Error))
ForkFn = PYFUNCTYPE(c_int)
Case = struct("Case", path=c_char_p, python=c_char_p, readable=c_char_p, seconds=c_int64, json=c_bool, open=OpenFn,
              fork_it=ForkFn)

# Of each struct its size, and where these fields are: what bridge_layout tells of the C side.
LAYOUT = ((Error, "text"), (Numbers, "count"), (Param, "offset number min choices search help"), (Csr, "values"),
          (Relation, "graph"), (Features, "dense sparse width"),
          (Task, "problem items classes graph graph_offsets relations x labels candidates split seed"),
          (Monitor, "user limit before_step unless_dropout"),
          (Algorithm, "fit destroy embed widen report flags"),
          (Plugin, "kind name problems settings_size params vtable homepage categories"))


def check_layout(lib):
    lib.bridge_layout.restype = POINTER(c_int64)
    theirs = lib.bridge_layout()
    ours = [n for s, names in LAYOUT for n in (sizeof(s), *(getattr(s, name).offset for name in names.split()))]
    if theirs[:len(ours) + 1] != ours + [0]:
        raise SystemExit(f"the module in {__file__} is not the one of this program")


def declare(lib):
    """The functions that are called, with their types."""
    check_layout(lib)
    for name, result, *arguments in (
            ("cru_ctx_fail", c_int, c_void_p, c_int, c_char_p, c_char_p),
            ("cru_ctx_alloc", c_void_p, c_void_p, c_int64, c_size_t), ("cru_ctx_seed", c_uint64, c_void_p),
            ("cru_ctx_threads", c_int32, c_void_p),
            ("cru_report_number", None, c_void_p, c_char_p, c_double),
            ("cru_report_vector", None, c_void_p, c_char_p, c_void_p, c_int64),
            ("cru_report_matrix", None, c_void_p, c_char_p, c_void_p, c_int64, c_int64),
            ("bridge_serve", None, c_int, OpenFn, ForkFn),
            ("bridge_scan", c_int, c_int, c_int, c_int64, c_char_p, OpenFn),
            ("bridge_check", c_int, POINTER(Case))):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib
