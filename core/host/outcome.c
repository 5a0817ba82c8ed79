// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "host/schedule.h"
#include "worker/crash.h"

enum { MESSAGE = 500 };

int64_t kernel_kill_count(void)
{
    FILE *file = fopen("/proc/vmstat", "re");
    if (!file) return 0;
    char line[128];
    long long count = 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "oom_kill %lld", &count) == 1) break;
    fclose(file);
    return count;
}

static double cpu_seconds(const struct rusage *u)
{
    return (double)(u->ru_utime.tv_sec + u->ru_stime.tv_sec) +
           1e-6 * (double)(u->ru_utime.tv_usec + u->ru_stime.tv_usec);
}

static bool over_cpu_limit(const job *j, int signal)
{
    double limit = j->runner->run->cpu;
    return limit > 0 && (signal == SIGXCPU || (signal == SIGKILL && cpu_seconds(&j->usage) >= limit));
}

bool kernel_has_killed(job *j)
{
    runner *r = j->runner;
    if (!WIFSIGNALED(j->ended) || WTERMSIG(j->ended) != SIGKILL) return false;
    int64_t count = kernel_kill_count();
    bool more = count > r->kernel_kills;
    r->kernel_kills = count;
    return more;
}

static store_outcome killed(const job *j, int signal, bool by_kernel, char *message)
{
    if (j->cut_off) {
        snprintf(message, MESSAGE, "closed its connection to the host and went on");
        return STORE_FAILED;
    }
    if (over_cpu_limit(j, signal)) {
        snprintf(message, MESSAGE, "used more than %g s of CPU time", j->runner->run->cpu);
        return STORE_TIMEOUT;
    }
    if (by_kernel) {
        snprintf(message, MESSAGE, "killed by the kernel, which ran out of memory");
        return STORE_OOM;
    }
    if (j->heard && j->outcome.outcome != STORE_OK && j->outcome.text[0]) {
        snprintf(message, MESSAGE, "%s", j->outcome.text);
        return j->outcome.outcome;
    }
    snprintf(message, MESSAGE, "killed by %s", signal_name(signal));
    return STORE_CRASHED;
}

store_outcome outcome_of(const job *j, bool kernel_killed, char *message)
{
    message[0] = 0;
    if (j->timed_out) {
        snprintf(message, MESSAGE, "no result after %g s", j->runner->run->timeout);
        return STORE_TIMEOUT;
    }
    if (j->complaint[0]) {
        snprintf(message, MESSAGE, "%s", j->complaint);
        return STORE_FAILED;
    }
    if (WIFSIGNALED(j->ended)) return killed(j, WTERMSIG(j->ended), kernel_killed, message);
    if (!j->heard || WEXITSTATUS(j->ended) != 0) {
        snprintf(message, MESSAGE, "ended the process with exit code %d", WEXITSTATUS(j->ended));
        return STORE_CRASHED;
    }
    /* what the judge chose before the training diverged is not lost with it */
    if (j->outcome.outcome == STORE_FAILED && j->outcome.diverged && j->best > -INFINITY) return STORE_OK;
    if (j->outcome.outcome != STORE_OK) snprintf(message, MESSAGE, "%s", j->outcome.text);
    return j->outcome.outcome;
}
