// SPDX-License-Identifier: Apache-2.0
/* Reads plugin files, each in a process of its own that is locked in a sandbox, so that whatever a file does while it
 * loads becomes a reason, and nothing else. */
#ifndef CORE_LOADER_SCANNER_H
#define CORE_LOADER_SCANNER_H

#include <crucible/arena.h>

#include "process/nursery.h"
#include "registry/registry.h"

typedef struct scan_job {
    const char *path;     /* in */
    registry_entry entry; /* out; what it points to lives in the arena */
    bool lasting;         /* out: the finding depends on the file alone, so it may be cached */
} scan_job;

typedef struct scan_options {
    nursery *nursery;    /* where scanners come from; knows scan_trade as its trade SCAN_TRADE */
    double hang_seconds; /* the longest that one file may take */
    cru_arena *memory;
    const char *python; /* the interpreter of scripts; NULL: python3 */
    int *children;      /* counts the processes that were started */
} scan_options;

enum { SCAN_TRADE = 0 };
extern const nursery_trade scan_trade;

/* In an interpreter that is locked in: runs a script, which `open` does, and tells the pipe. */
typedef cru_status scan_open(const char *path, const cru_plugin **plugin, cru_error *err);
bool scan_script(const char *path, int fd, scan_open *open);

/* Fills in every job. Fails only when the system gives no process or no memory. */
cru_status scanner_run(const scan_options *options, scan_job *jobs, size_t count, cru_error *err);

#endif
