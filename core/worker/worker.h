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
#include "process/nursery.h"
#include "protocol/protocol.h"

/* What one rule needs. */
typedef struct worker_share {
    monitor_settings rule;
    int scores; /* memory file: where scores go */
} worker_share;

/* What a worker may use; 0: no limit. */
typedef struct worker_limits {
    int64_t threads;     /* that the method is given */
    int64_t memory;      /* MiB */
    double cpu;          /* seconds of processor time */
    int64_t descriptors; /* open files */
    int64_t file;        /* MiB of the largest file that it may write */
    int64_t device;      /* MiB of the card */
} worker_limits;

/* All that a worker knows of its trial. Not the corruption, nor the experiment. */
typedef struct worker_job {
    const char *plugin, *name;          /* the method's file and its name */
    const char *inner, *inner_name;     /* of a wrapper: those of the method inside; else NULL */
    const char *settings;               /* its settings, "key=value\n" */
    const char *backend, *backend_name; /* file and name; NULL: the CPU */
    const char *scratch;                /* folder for TMPDIR; NULL: none */
    uint64_t seed;
    worker_share shares[CRU_MAX_RULES]; /* the rules of this training, one for each trial that it serves */
    int32_t share_count;                /* 1 to CRU_MAX_RULES; 1 in process and where test nodes are hidden */
    bool inductive;                     /* trial_inductive */
    bool curves;                        /* every report goes to the host */
    bool sandbox;
    worker_limits limits;
    int32_t card; /* which of the backend's devices */
    score_shape shape;
    cru_trace_sink *trace; /* told of every operator, in process only; NULL: nobody is */
    void *trace_user;
    int socket;    /* packets to the host */
    int task, log; /* memory files: the task, what the method prints */
    int ruleset;   /* of Landlock; -1: none */
} worker_job;

/* A nursery that knows worker_trade as its trade WORKER_TRADE forks workers. */
enum { WORKER_TRADE = 1 };
extern const nursery_trade worker_trade;

/* That trade for a process that knows a language of its own: `open` takes the place of plugin_open. The trade's user is
 * a worker_language. */
typedef struct worker_language {
    cru_status (*open)(const char *path, const cru_plugin **plugin, cru_error *err);
} worker_language;
nursery_trade worker_trade_in(worker_language *language);

/* Asks for a worker. Its exit code 0 says that all outcomes were sent; anything else is a crash. */
cru_status worker_start(nursery *n, const worker_job *job, pid_t *pid, cru_error *err);

/* Runs the trial in the calling process: no limits, no sandbox, no handlers, no learning curve, and no rule that needs
 * an answer from the host. */
void worker_run_here(const worker_job *job);

#endif
