// SPDX-License-Identifier: Apache-2.0
/* judges.h: the host's end of the judges.
 *
 * Calls to a judge are answered in order. A judge that crashes, or takes longer than it may, fails the call it was busy
 * with, and a new one takes over the others. One that is killed from outside (by the kernel for want of memory, by a
 * user) or that has no memory for a call is no fault of the call: a new judge gets it again; when that does not help
 * either, the answer is CRU_NO_MEMORY with `ours`. Which judge serves a call depends only on its `lane`, so that one
 * problem always meets the same judge. */
#ifndef CORE_RUNNER_JUDGES_H
#define CORE_RUNNER_JUDGES_H

#include <poll.h>

#include "judge/judge.h"
#include "protocol/protocol.h"

typedef struct judges judges;

/* A question to a judge; belongs to the caller and must stay in place until it is answered. */
typedef struct judge_call {
    judge_request request;
    int fd;       /* goes along; -1: none. Not closed here */
    int64_t lane; /* >= 0 */
    /* `fd` in the answer is the callee's to close; the payload is freed after the call. */
    void (*answered)(struct judge_call *call, const judge_reply *reply, const records *payload, int fd);
    void *owner;
    struct judge_call *next;
    int attempts; /* that went wrong for no fault of the call */
} judge_call;

typedef struct judges_options {
    judge_setup setup; /* pointers outlive the judges. Judges have what this process has in memory now, and nothing
                          that it reads later */
    int32_t count;
    double seconds; /* longest time for one call */
} judges_options;

cru_status judges_open(const judges_options *options, judges **out, cru_error *err);
void judges_close(judges *all); /* kills and reaps; unanswered calls are forgotten. NULL is fine */

int32_t judges_count(const judges *all);

/* Queues a call. Fails only when a judge cannot be started. */
cru_status judges_ask(judges *all, judge_call *call, cru_error *err);

/* For the poll loop: fills judges_count entries; then, after poll, takes what came and looks at the time. `now` is
 * seconds of CLOCK_MONOTONIC. Fails only when a judge cannot be started anew. */
void judges_fill(const judges *all, struct pollfd *fds);
cru_status judges_take(judges *all, const struct pollfd *fds, double now, cru_error *err);

/* When judges_take is needed at the latest; INFINITY: only when something comes. */
double judges_deadline(const judges *all);

#endif
