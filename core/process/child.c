// SPDX-License-Identifier: Apache-2.0
#include "process/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
enum { LIMIT_DATA = 0 };
#else
enum { LIMIT_DATA = 1 };
#endif

static void set_limit(int resource, int64_t soft, int64_t hard)
{
    struct rlimit limit = {.rlim_cur = (rlim_t)soft, .rlim_max = (rlim_t)hard};
    setrlimit((__rlimit_resource_t)resource, &limit);
}

void child_limit(const child_limits *limits)
{
    set_limit(RLIMIT_CORE, 0, 0);
    /* SIGXCPU at the soft limit, SIGKILL a second later for those who ignore it. */
    if (limits->cpu_seconds) set_limit(RLIMIT_CPU, limits->cpu_seconds, limits->cpu_seconds + 1);
    if (limits->no_files) set_limit(RLIMIT_FSIZE, 0, 0);
    if (limits->data_bytes && LIMIT_DATA) set_limit(RLIMIT_DATA, limits->data_bytes, limits->data_bytes);
}

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

static void default_signals(void)
{
    for (int number = 1; number < NSIG; number++) signal(number, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
}

static void redirect(int flags, int from, int to)
{
    int null = open("/dev/null", flags | O_CLOEXEC);
    if (null < 0) _exit(127);
    for (int fd = from; fd <= to; fd++) dup2(null, fd);
    if (null > STDERR_FILENO) close(null);
}

void child_silence(void)
{
    redirect(O_WRONLY, STDOUT_FILENO, STDERR_FILENO);
}

void child_begin(pid_t parent, const child_keep *keep)
{
    setpgid(0, 0);
    default_signals();
    prctl(PR_SET_NAME, keep->name);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    redirect(O_RDONLY, STDIN_FILENO, STDIN_FILENO);
    close_others(keep);
}

CRU_NORETURN static void run_child(pid_t parent, const child_limits *limits, child_body *body, void *user, int fd)
{
    const int kept[] = {fd, limits->keep};
    child_begin(parent, &(child_keep){.name = "crucible-child", .fds = kept, .count = 2});
    child_silence();
    child_limit(limits);
    _exit(body(user, fd));
}

/* A pipe whose ends stay clear of the standard streams, even in a host that was started without them. */
static bool make_pipe(int ends[2])
{
    int low[2];
    if (pipe2(low, O_CLOEXEC) != 0) return false;
    for (int i = 0; i < 2; i++) {
        ends[i] = fcntl(low[i], F_DUPFD_CLOEXEC, 3);
        close(low[i]);
    }
    if (ends[0] >= 0 && ends[1] >= 0) return true;
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0) close(ends[i]);
    return false;
}

cru_status child_start(child *c, const child_limits *limits, child_body *body, void *user, cru_error *err)
{
    int ends[2];
    if (!make_pipe(ends)) return cru_fail(err, CRU_FAILED, "cannot make a pipe: %s", strerror(errno));
    pid_t parent = getpid(), pid = limits->fork ? limits->fork() : fork();
    if (pid < 0) {
        cru_fail(err, CRU_FAILED, "cannot start a process: %s", strerror(errno));
        close(ends[0]);
        close(ends[1]);
        return CRU_FAILED;
    }
    if (pid == 0) run_child(parent, limits, body, user, ends[1]);
    setpgid(pid, pid); /* also here: whoever comes first, the group exists before it may have to be killed */
    close(ends[1]);
    *c = (child){.pid = pid, .fd = ends[0]};
    return CRU_OK;
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Looks without reaping, so that the process id stays ours until child_finish. */
static bool has_ended(child *c)
{
    siginfo_t info = {0};
    if (!c->ended && waitid(P_PID, (id_t)c->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0) c->ended = info.si_pid != 0;
    return c->ended;
}

/* The pipe alone does not tell the end: a grandchild may hold it open, and a child may close it and live on. */
child_event child_read(child *c, void *buffer, size_t size, size_t *got, double seconds)
{
    enum { SLICE_MS = 20, CLOSED_SLICE_MS = 1 };
    const double deadline = now() + seconds;
    bool closed = false;
    for (;;) {
        bool ended = has_ended(c);
        struct pollfd pipe = {.fd = closed ? -1 : c->fd, .events = POLLIN};
        double left = deadline - now();
        int slice = closed ? CLOSED_SLICE_MS : SLICE_MS;
        if (left * 1e3 < slice) slice = left > 0 ? (int)(left * 1e3) : 0;
        int ready = poll(&pipe, 1, ended ? 0 : slice);
        if (ready > 0) {
            ssize_t count = read(c->fd, buffer, size);
            if (count > 0) {
                *got = (size_t)count;
                return CHILD_DATA;
            }
            closed = count == 0 || errno != EINTR;
        }
        if (ended && (ready <= 0 || closed)) return CHILD_DEAD;
        if (now() >= deadline && !has_ended(c)) return CHILD_LATE;
    }
}

int child_finish(child *c)
{
    int status = 0;
    kill(-c->pid, SIGKILL);
    while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
    close(c->fd);
    return status;
}

const char *signal_text(int number, char text[SIGNAL_TEXT_SIZE])
{
    const char *short_name = sigabbrev_np(number);
    if (short_name) {
        snprintf(text, SIGNAL_TEXT_SIZE, "SIG%s", short_name);
    } else {
        snprintf(text, SIGNAL_TEXT_SIZE, "signal %d", number);
    }
    return text;
}

bool write_all(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;
    while (count) {
        ssize_t written = write(fd, at, count);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        at += written;
        count -= (size_t)written;
    }
    return true;
}
