// SPDX-License-Identifier: Apache-2.0
#include "worker/crash.h"

#include <execinfo.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "protocol/protocol.h"

enum { STACK_SIZE = 65536, FRAMES = 48, NULL_PAGE = 65536 };

/* A signal handler gets no argument of ours, so what it needs is of the process. */
static struct {
    int socket;
    _Alignas(16) char stack[STACK_SIZE];
} last_words;

const char *signal_name(int number)
{
    static char unknown[24];
    const char *name = sigabbrev_np(number);
    if (name)
        snprintf(unknown, sizeof unknown, "SIG%s", name);
    else
        snprintf(unknown, sizeof unknown, "signal %d", number);
    return unknown;
}

/* Whether the limit leaves no room for a margin: addresses are asked for and given back at once. */
static bool memory_used_up(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return false;
    size_t margin = limit.rlim_cur / 16 + ((size_t)64 << 20);
    void *room = mmap(NULL, margin, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED) return true;
    munmap(room, margin);
    return false;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
    (void)context;
    void *frames[FRAMES];
    uintptr_t address = (uintptr_t)info->si_addr;
    bool null = (number == SIGSEGV || number == SIGBUS) && address < NULL_PAGE;
    worker_message m = {.type = WORKER_OUTCOME, .share = SHARE_ALL, .outcome = STORE_CRASHED};
    if (number == SIGABRT)
        snprintf(m.text, sizeof m.text, "aborted (SIGABRT)");
    else
        snprintf(m.text, sizeof m.text, "crashed with %s at address 0x%" PRIxPTR, signal_name(number), address);
    if ((null || number == SIGABRT) && memory_used_up()) {
        m.outcome = STORE_OOM;
        snprintf(m.text, sizeof m.text, "ran out of memory and did not check for it (%s)", signal_name(number));
    }
    backtrace_symbols_fd(frames, backtrace(frames, FRAMES), STDERR_FILENO);
    if (write(last_words.socket, &m, sizeof m) < 0) dprintf(STDERR_FILENO, "the host does not listen\n");
    signal(number, SIG_DFL);
    raise(number);
}

void crash_install(int socket)
{
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    last_words.socket = socket;
    stack_t stack = {.ss_sp = last_words.stack, .ss_size = sizeof last_words.stack};
    sigaltstack(&stack, NULL);
    struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigaction(faults[i], &action, NULL);
}

void crash_prepare(void)
{
    void *frame;
    backtrace(&frame, 1);
}
