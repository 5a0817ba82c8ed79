// SPDX-License-Identifier: Apache-2.0
/* child.h: how every process begins that runs foreign code, and the simplest of them.
 *
 * child_begin is the first thing that any such process does, whoever forked it. child_start forks one that runs a
 * function and talks to its parent through a pipe; whatever it does - crash, exit, loop, fork - the parent learns of it
 * as an event, and child_finish leaves nothing of it behind. Processes that must not inherit what their user has in
 * memory come from a clean parent instead (nursery.h). */
#ifndef CORE_CHILD_H
#define CORE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <crucible/status.h>

typedef struct child_keep {
    const char *name; /* in process lists; at most 15 characters */
    const int *fds;   /* descriptors to keep; negative ones are ignored */
    int count;        /* at most CHILD_KEEP_MOST */
} child_keep;

enum { CHILD_KEEP_MOST = 24 };

/* Makes the calling process, just forked, one that owns nothing of its parent: dies with it, leads its own process
 * group (so that it can be killed with all it starts, and the terminal's Ctrl-C does not reach it), has default signal
 * handling, an empty standard input, and none of the parent's open files but what `keep` says and the standard ones.
 * Leaves the process when the parent is already gone: the kernel would not kill it any more. */
void child_begin(pid_t parent, const child_keep *keep);

/* Standard output and standard error to nowhere. */
void child_silence(void);

/* 0 means no limit, except that `no_files` forbids to write any byte to a file. */
typedef struct child_limits {
    int64_t cpu_seconds;
    int64_t data_bytes; /* heap and private writable mappings. Not applied in a build with AddressSanitizer, whose
                           shadow memory counts against it */
    bool no_files;
    pid_t (*fork)(void); /* no limit but how to fork, where a runtime must know; NULL: fork */
    int keep;            /* no limit but a descriptor that it keeps besides the pipe; 0: none */
} child_limits;

typedef struct child {
    pid_t pid;
    int fd; /* the parent's end of the pipe */
    bool ended;
} child;

/* Runs in the child; writes its answer to `fd`. What it returns becomes the exit code; no exit handlers run. */
typedef int child_body(void *user, int fd);

/* Sets the limits for the calling process. */
void child_limit(const child_limits *limits);

/* Call while the process has one thread. CRU_FAILED when the system gives no pipe or process. */
cru_status child_start(child *c, const child_limits *limits, child_body *body, void *user, cru_error *err);

typedef enum child_event {
    CHILD_DATA, /* `*got` > 0 bytes were read */
    CHILD_DEAD, /* it ended and everything that it wrote was read */
    CHILD_LATE, /* `seconds` passed without either */
} child_event;
child_event child_read(child *c, void *buffer, size_t size, size_t *got, double seconds);

/* Kills what is left of the child's group, reaps it and returns its wait status. Call exactly once. */
int child_finish(child *c);

/* "SIGSEGV", ..., or "signal 35". The text is constant or written to `text`. */
#define SIGNAL_TEXT_SIZE 32
const char *signal_text(int number, char text[SIGNAL_TEXT_SIZE]);

/* Writes all of it, through interruptions; false when the other end is gone. */
bool write_all(int fd, const void *bytes, size_t count);

#endif
