// SPDX-License-Identifier: Apache-2.0
/* worker.h: the process in which a method runs.
 *
 * A worker trains once. Mostly that is one trial; where several differ only in their selection rule and no rule could
 * end the training (sharing.h), it serves them all: the rules look on side by side, and afterwards the method predicts
 * once with the weights that each of them chose. Where that would not give what trainings of their own give
 * (training.c), the worker says so (WORKER_ALONE) and serves the first. */
#ifndef CORE_RUNNER_WORKER_H
#define CORE_RUNNER_WORKER_H

#include <crucible/trace.h>

#include "config/config.h"
#include "protocol/protocol.h"
#include "worker/sandbox.h"

/* What one rule needs. */
typedef struct worker_share {
    const monitor_settings *rule;
    int scores; /* memory file: where scores go */
} worker_share;

typedef struct worker_job {
    const trial *trial;           /* the first of them */
    const worker_share *shares;   /* the rules of this training, one for each trial that it serves */
    int32_t share_count;          /* 1 to CRU_MAX_RULES; 1 in process and where test nodes are hidden */
    bool inductive;               /* trial_inductive */
    const cru_settings *settings; /* of its algorithm */
    const run_settings *run;
    const registry_entry *backend; /* NULL: the CPU */
    int32_t card;                  /* which of the backend's devices */
    const sandbox *box;            /* NULL: no sandbox */
    const char *scratch;           /* folder for TMPDIR; NULL: none */
    score_shape shape;
    cru_trace_sink *trace; /* told of every operator, in process only; NULL: nobody is */
    void *trace_user;
    int socket;    /* packets to the host */
    int task, log; /* memory files: the task, what the method prints */
} worker_job;

/* Runs the training in a process that was just forked from `parent`, and leaves it. Exit code 0 says that all outcomes
 * were sent; anything else is a crash. */
_Noreturn void worker_main(const worker_job *job, int parent);

/* Runs the trial in the calling process: no limits, no sandbox, no handlers, no learning curve, and no rule that needs
 * an answer from the host. */
void worker_run_here(const worker_job *job);

#endif
