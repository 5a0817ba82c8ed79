// SPDX-License-Identifier: Apache-2.0
#include "host/signals.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

static void stop_signals(sigset_t *set)
{
    sigemptyset(set);
    sigaddset(set, SIGINT);
    sigaddset(set, SIGTERM);
    sigaddset(set, SIGHUP);
}

int signals_open(void)
{
    sigset_t set;
    stop_signals(&set);
    sigprocmask(SIG_BLOCK, &set, NULL);
    int fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    if (fd < 0) sigprocmask(SIG_UNBLOCK, &set, NULL);
    return fd;
}

void signals_close(int fd)
{
    sigset_t set;
    stop_signals(&set);
    if (fd >= 0) close(fd);
    sigprocmask(SIG_UNBLOCK, &set, NULL);
}

bool signals_take(int fd)
{
    struct signalfd_siginfo info;
    bool stop = false;
    while (read(fd, &info, sizeof info) == (ssize_t)sizeof info) stop = true;
    if (stop) {
        sigset_t set;
        stop_signals(&set);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
    }
    return stop;
}
