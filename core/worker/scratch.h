// SPDX-License-Identifier: Apache-2.0
/* scratch.h: the folder that a run leaves nothing in.
 *
 * Its owner holds a lock on it for as long as it lives, however it ends; the next run removes the folders that nobody
 * holds. */
#ifndef CORE_RUNNER_SCRATCH_H
#define CORE_RUNNER_SCRATCH_H

#include <crucible/status.h>

typedef struct scratch {
    char *path; /* NULL: none */
    int lock;   /* descriptor of the folder */
} scratch;

/* Makes a folder in $TMPDIR, else in /tmp, after removing those of this user that runs left behind there. */
cru_status scratch_make(scratch *s, cru_error *err);

/* Removes it with everything inside. One that was never made is fine. */
void scratch_remove(scratch *s);

/* Removes what is inside a folder; symbolic links are removed, not followed. */
void scratch_empty(const char *path);

#endif
