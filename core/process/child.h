// SPDX-License-Identifier: Apache-2.0
/* child.h: foreign code in a process of its own.
 *
 * A child is forked from the host, runs one function and talks to its parent through a pipe. It gets its own process
 * group, default signals, /dev/null as standard streams, no other open file and resource limits, and dies with its
 * parent. Whatever it does
 * - crash, exit, loop, fork - the parent learns of it as an event, and child_finish leaves nothing of it behind. */
#ifndef CORE_CHILD_H
#define CORE_CHILD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <crucible/status.h>

/* 0 means no limit, except that `no_files` forbids to write any byte to a file. */
typedef struct child_limits {
    int64_t cpu_seconds;
    int64_t data_bytes; /* heap and private writable mappings. Not applied in a build with AddressSanitizer, whose
                           shadow memory counts against it */
    bool no_files;
} child_limits;

typedef struct child {
    pid_t pid;
    int fd; /* the parent's end of the pipe */
    bool ended;
} child;

/* Runs in the child; writes its answer to `fd`. What it returns becomes the exit code; no exit handlers run. */
typedef int child_body(void *user, int fd);

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
