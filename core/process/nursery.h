// SPDX-License-Identifier: Apache-2.0
/* nursery.h: a clean parent.
 *
 * What a process has in memory, its forked children have too: scores of earlier trials, passwords in the environment,
 * whatever the heap keeps of things long freed. So the host forks none of the processes that run foreign code. It
 * starts a nursery before it reads anything, and asks it for children:
 *
 *     nursery_open(trades, count, &n, err);             forks; before any data, result or configuration is read
 *     nursery_start(n, &order, &pid, err);              a child that follows `trade` with the order's bytes and files
 *     nursery_take(n, &end) / nursery_await(n, pid, &end)
 *     nursery_close(n);
 *
 * The nursery does nothing but fork, kill and reap at request. An order passes through one buffer that is wiped after
 * each, and its files are closed as soon as the child has them. It has none of the host's files, a short list of the
 * environment's variables, and dies with the host; its children die with it. */
#ifndef CORE_NURSERY_H
#define CORE_NURSERY_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <crucible/status.h>

typedef struct nursery nursery;

enum { NURSERY_FILES_MOST = 20, NURSERY_BYTES_MOST = 1 << 16, NURSERY_TRADES_MOST = 4 };

/* What a child is told. */
typedef struct nursery_job {
    const void *bytes;
    size_t size;
    const int *fds;
    int fd_count;
    pid_t parent; /* for child_begin, with which a trade starts */
    void *tools;  /* what `prepare` made */
    void *user;   /* the trade's */
} nursery_job;

typedef struct nursery_trade {
    void *(*prepare)(void); /* once, in the nursery, before its first child of this trade; may be NULL */
    void (*follow)(const nursery_job *job); /* in the child; does not return */
    void *user;                             /* as it was when the nursery was opened */
} nursery_trade;

typedef struct nursery_options {
    const nursery_trade *trades;
    int count;                    /* at most NURSERY_TRADES_MOST */
    const char *const *variables; /* of the environment, further ones that children may know; NULL-terminated or NULL */
    pid_t (*fork)(void);          /* for nursery_serve: how the process forks, where a runtime must know; NULL: fork */
} nursery_options;

/* Call while the process has one thread. */
cru_status nursery_open(const nursery_options *options, nursery **out, cru_error *err);
void nursery_close(nursery *n); /* kills and reaps all. NULL is fine */

/* A nursery that is another program, which calls nursery_serve when it has prepared itself. */
typedef struct nursery_program {
    const char *const *argv;         /* its path and arguments, NULL-terminated; its socket is descriptor 3 */
    const char *const *variables;    /* "NAME=value", NULL-terminated: besides the harmless ones */
    bool (*enter)(const void *user); /* in the child, before the program is executed; NULL: nothing */
    const void *user;
    int keep;       /* a descriptor that `enter` needs; -1: none */
    int log;        /* where its standard streams go */
    double seconds; /* the longest that it may prepare itself */
} nursery_program;

enum { NURSERY_SOCKET = 3 };

/* Waits until the program serves. CRU_FAILED: it has ended before, or takes too long; what it said is in its log. */
cru_status nursery_open_program(const nursery_program *program, nursery **out, cru_error *err);

/* In that program: serves the host until it is gone, and leaves the process. */
CRU_NORETURN void nursery_serve(const nursery_options *options, int socket);

typedef struct nursery_order {
    int trade; /* index of the trade */
    const void *bytes;
    size_t size; /* at most NURSERY_BYTES_MOST */
    const int *fds;
    int fd_count; /* at most NURSERY_FILES_MOST; all are open */
} nursery_order;

/* Forks a child. CRU_FAILED: the system gives no process, or the nursery is gone (nursery_gone tells). */
cru_status nursery_start(nursery *n, const nursery_order *order, pid_t *pid, cru_error *err);

/* Kills a child with its process group. One that has ended is left alone, whoever has its number now. */
void nursery_kill(nursery *n, pid_t pid);

typedef struct nursery_end {
    pid_t pid;
    int status; /* of wait */
    struct rusage usage;
} nursery_end;

/* The next child that has ended; false: none has. Readable when poll says so of nursery_fd. */
bool nursery_take(nursery *n, nursery_end *end);

/* Whether nursery_take would give one that poll does not know of. */
bool nursery_has_ended(const nursery *n);

int nursery_fd(const nursery *n);

/* Waits for the end of one child; those of others are kept for nursery_take. False: it has not come within `seconds`
 * (negative: for ever), or the nursery is gone. */
bool nursery_await(nursery *n, pid_t pid, double seconds, nursery_end *end);

/* Whether it has died, which only a signal from outside makes it do. */
bool nursery_gone(const nursery *n);

#endif
