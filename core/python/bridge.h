// SPDX-License-Identifier: Apache-2.0
/* bridge.h: what a Python process calls of the host; see interpreter.h. */
#ifndef CORE_PYTHON_BRIDGE_H
#define CORE_PYTHON_BRIDGE_H

#include <crucible/plugin.h>

#include "worker/worker.h"

/* Runs the script and gives its plugin. In Python. */
typedef cru_status bridge_open(const char *path, const cru_plugin **plugin, cru_error *err);

/* Forks a worker for each trial that the host asks for; ends with the host. `fork_it` forks as Python wants it. */
CRU_API CRU_NORETURN void bridge_serve(int socket, bridge_open *open, pid_t (*fork_it)(void));

/* Locks this process in, runs the script and tells the scanner's pipe what it declares; the exit code. */
CRU_API int bridge_scan(int pipe, int ruleset, int64_t cpu_seconds, const char *path, bridge_open *open);

/* Runs the suite of check.h on a script, in processes forked from this one, and prints it; the exit code. `readable`:
 * the interpreter's own folders, '\n' between them. */
typedef struct bridge_case {
    const char *path, *python, *readable;
    int64_t seconds; /* for one case; 0: the usual */
    bool json;
    bridge_open *open;
    pid_t (*fork_it)(void);
} bridge_case;
CRU_API int bridge_check(const bridge_case *how);

/* Sizes and places in the structs that sdk/python/crucible/_abi.py describes, in the order of its LAYOUT; ends with
 * 0. */
CRU_API const int64_t *bridge_layout(void);

#endif
