// SPDX-License-Identifier: Apache-2.0
#include "protocol/child.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <unistd.h>

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

static void close_others(const child_keep *keep)
{
    int sorted[CHILD_KEEP_MOST], used = 0;
    for (int i = 0; i < keep->count && used < CHILD_KEEP_MOST; i++)
        if (keep->fds[i] > STDERR_FILENO) sorted[used++] = keep->fds[i];
    qsort(sorted, (size_t)used, sizeof *sorted, ascending);
    unsigned from = STDERR_FILENO + 1;
    for (int i = 0; i < used; i++) {
        if (from < (unsigned)sorted[i]) close_range(from, (unsigned)sorted[i] - 1, 0);
        from = (unsigned)sorted[i] + 1;
    }
    close_range(from, ~0u, 0);
}

static void reset_signals(void)
{
    static const int changed[] = {SIGINT,  SIGTERM, SIGCHLD, SIGPIPE, SIGHUP, SIGXCPU,
                                  SIGXFSZ, SIGSEGV, SIGBUS,  SIGFPE,  SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof changed / sizeof *changed; i++) signal(changed[i], SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

void child_begin(pid_t parent, const child_keep *keep)
{
    setpgid(0, 0);
    reset_signals();
    prctl(PR_SET_NAME, keep->name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (nothing >= 0) dup2(nothing, STDIN_FILENO);
    close_others(keep);
}
