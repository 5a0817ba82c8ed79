// SPDX-License-Identifier: Apache-2.0
/* Reads plugin files in child processes, so that whatever a file does while it loads becomes a reason. */
#ifndef CORE_LOADER_SCANNER_H
#define CORE_LOADER_SCANNER_H

#include <crucible/arena.h>

#include "registry/registry.h"

typedef struct scan_job {
    const char *path;     /* in */
    registry_entry entry; /* out; what it points to lives in the arena */
    bool lasting;         /* out: the finding depends on the file alone, so it may be cached */
} scan_job;

typedef struct scan_options {
    double hang_seconds; /* the longest that one file may take */
    cru_arena *memory;
    int *children; /* counts the processes that were started */
} scan_options;

/* Fills in every job. Fails only when the system gives no process or no memory. */
cru_status scanner_run(const scan_options *options, scan_job *jobs, size_t count, cru_error *err);

#endif
