/* child.h: how every process that the host forks begins. */
#ifndef CORE_RUNNER_CHILD_H
#define CORE_RUNNER_CHILD_H

#include <sys/types.h>

typedef struct child_keep {
    const int *fds; /* descriptors to keep, at most 8; negative ones are ignored */
    int count;
    const void *memory; /* start of the one shared mapping to keep, or NULL */
} child_keep;

/* Makes the calling process, just forked, one that owns nothing of its parent: dies with it, leads its own process
 * group (so that it can be killed with all it starts, and the terminal's Ctrl-C does not reach it), has default signal
 * handling, an empty standard input, and none of the parent's shared memory (SQLite's index, say) or open files but
 * what `keep` says and the standard ones. Leaves the process when the parent is already gone. */
void child_begin(pid_t parent, const child_keep *keep);

#endif
