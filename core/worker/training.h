// SPDX-License-Identifier: Apache-2.0
/* training.h: a method learns once, under one rule or several. The inside of a worker. */
#ifndef CORE_RUNNER_TRAINING_H
#define CORE_RUNNER_TRAINING_H

#include <crucible/wrapper.h>

#include "worker/monitor.h"
#include "worker/worker.h"

/* What one rule makes of the training. */
typedef struct share {
    struct training *training;
    int32_t number;
    monitor watch;
    float *scores; /* mapped: see score_shape */
    int64_t embedding_cols;
    uint64_t report_bytes;
    cru_status status;
    cru_error err;
} share;

typedef struct training {
    const worker_job *job;
    cru_settings *settings; /* of the method; NULL until its plugin is open */
    cru_inner inner;        /* of a wrapper: the method inside; zeroed: none */
    bool here;              /* in the host itself: nobody reads the socket before the method returns */
    cru_task task;
    void *mapping;
    cru_task whole; /* of an inductive trial, once it has learned */
    void *whole_mapping;
    share shares[CRU_MAX_RULES];
    int32_t share_count;
    double begun;
    char warning[400];                       /* the first line of the log that is one */
    double seconds_construct, seconds_train; /* until `create` and then `fit` returned; NAN until known */
} training;

/* Maps the task and the scores; then runs the method, whose plugin is open. */
cru_status training_open(training *t, const worker_job *job, bool here, cru_error *err);
void training_run(training *t, const cru_plugin *plugin, const cru_backend *backend);

/* All trials that have no failure of their own failed for this reason. */
void training_fail(training *t, cru_status status, const cru_error *err);

/* Sends the outcome of every trial. */
void training_report(training *t);

/* A packet to the host. */
void training_tell(const training *t, const worker_message *message);

#endif
