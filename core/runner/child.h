/* child.h: how every process that the host forks begins. */
#ifndef CORE_RUNNER_CHILD_H
#define CORE_RUNNER_CHILD_H

#include <sys/types.h>

/* Makes the calling process, just forked, one that owns nothing of its parent: dies with it, leads its own process
 * group (so that it can be killed with all it starts, and the terminal's Ctrl-C does not reach it), has default signal
 * handling, no shared memory of the parent (SQLite's index, say) and no open files but `keep` (`count` of them) and
 * 0-2. Leaves the process when the parent is already gone. */
void child_begin(pid_t parent, const int *keep, int count);

#endif
