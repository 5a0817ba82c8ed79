// SPDX-License-Identifier: Apache-2.0
/* child.h: how every process that the host forks begins. */
#ifndef CORE_RUNNER_CHILD_H
#define CORE_RUNNER_CHILD_H

#include <sys/types.h>

typedef struct child_keep {
    const char *name; /* in process lists; at most 15 characters */
    const int *fds;   /* descriptors to keep; negative ones are ignored */
    int count;        /* at most CHILD_KEEP_MOST */
} child_keep;

enum { CHILD_KEEP_MOST = 16 };

/* Makes the calling process, just forked, one that owns nothing of its parent: dies with it, leads its own process
 * group (so that it can be killed with all it starts, and the terminal's Ctrl-C does not reach it), has default signal
 * handling, an empty standard input, and none of the parent's open files but what `keep` says and the standard ones.
 * Memory that a child could do harm with is not inherited in the first place: the store and the judges mark theirs
 * (MADV_DONTFORK). Leaves the process when the parent is already gone. */
void child_begin(pid_t parent, const child_keep *keep);

#endif
