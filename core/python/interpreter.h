// SPDX-License-Identifier: Apache-2.0
/* interpreter.h: the user's own Python, and methods written in it.
 *
 * A method in Python is an ordinary plugin whose file is a script: it has a cru_plugin with a parameter table and a
 * vtable, made by the Python module `crucible` (sdk/python) with ctypes, whose functions call the script's class. So
 * the scan, the schema, the worker, the monitor, limits, outcomes and the sandbox are the same code as for a method in
 * C; only the process is another one:
 *
 *     scan     scanner (C) -> Landlock -> exec python -> imports -> seccomp, a second Landlock -> the script
 *     run      host -> fork, Landlock, exec python: imports numpy, and torch where a script names it; serves as a
 *              nursery (bridge.c) -> fork for each trial -> worker.c, with its sandbox and limits -> the script
 *
 * The interpreter and the packages that it has installed are the user's and trusted as much as the system's libraries;
 * the script is not, and is opened last. The first lock, which holds for the imports, allows what all trials of the run
 * need together; the second one what this trial does. Both forbid all writes but to the scratch folder. */
#ifndef CORE_PYTHON_INTERPRETER_H
#define CORE_PYTHON_INTERPRETER_H

#include <crucible/arena.h>

#include "registry/registry.h"
#include "worker/sandbox-rules.h"

typedef struct interpreter {
    const char *program;         /* its path, as it calls itself */
    const char *modules;         /* the folder of the module `crucible` */
    const char *script;          /* what it is to execute */
    const char *library;         /* the host's code for it */
    const char *search;          /* where it looks for modules, '\n' between them */
    const char *const *readable; /* its own folders and files, NULL-terminated: all beneath is to be read */
    const char *const *folders;  /* further ones that it looks into, such as those of PYTHONPATH: scripts are */
    const char *const *proc;     /* the same and /proc, for the first lock */
    const char *const *programs; /* itself, NULL-terminated */
} interpreter;

/* Whether a plugin's path is that of a script. */
bool is_python(const char *path);

/* Asks the interpreter, which runs locked in for it and writes nothing, where its modules are. `wanted` is [paths]
 * python: a path, or a name on PATH; NULL or empty: python3. All is in `memory`. CRU_UNSUPPORTED with the reason when
 * there is none. */
cru_status interpreter_find(const char *wanted, cru_arena *memory, interpreter *out, cru_error *err);

enum { INTERPRETER_ARGS = 16 };

/* The first arguments of a command that makes it do `what`, with a folder for what packages write when they are
 * imported; returns how many. */
int interpreter_args(const interpreter *i, const char *what, const char *scratch, const char *args[INTERPRETER_ARGS]);

/* The rules of the first lock for these scripts, with write access beneath the folders `writable`; both lists are
 * NULL-terminated. */
cru_status interpreter_rules(const interpreter *i, const char *const *scripts, const char *const *writable,
                             int landlock_most, sandbox_rules **out, cru_error *err);

#endif
