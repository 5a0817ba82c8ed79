// SPDX-License-Identifier: Apache-2.0
/* monitor.h: one stopping and selection rule for all methods of an experiment.
 *
 * The worker makes a monitor from the [monitor] section (monitor_settings) and the task, and lends its `face` to the
 * method's fit. After every epoch that the method reports, the rule says whether these weights are the best so far
 * (CRU_KEEP) and whether to end (CRU_STOP). It looks at observed validation labels only. Rules that need truth are
 * applied by the judge: the checkpoint hook hands the scores out and the method learns nothing back. */
#ifndef CORE_RUNNER_MONITOR_H
#define CORE_RUNNER_MONITOR_H

#include <crucible/plugin.h>

#include "config/settings.h"

typedef struct monitor_point {
    int64_t epoch;
    double loss;  /* training loss as reported; may be NAN */
    double value; /* of the rule; NAN for the oracle rules */
} monitor_point;

/* What the rule saw when it found weights better than all before. */
typedef struct monitor_gain {
    int64_t epoch;
    double value, loss; /* of validation, where the rule looks at it; else NAN */
} monitor_gain;

typedef struct monitor_hooks {
    void (*record)(void *user, const monitor_point *point);                          /* every report; may be NULL */
    void (*checkpoint)(void *user, const monitor_point *point, const float *scores); /* oracle-early only */
    void (*better)(void *user, const monitor_gain *gain); /* these weights are the best so far; may be NULL */
    void *user;
} monitor_hooks;

typedef struct monitor {
    cru_monitor face; /* what the method is given */
    monitor_settings settings;
    const cru_task *task;
    monitor_hooks hooks;
    double best, best_loss;       /* of the rule's value, larger is better; of the loss */
    int64_t best_epoch;           /* -1: none was better than another */
    int64_t gains;                /* how often there was a better one */
    int64_t reports, checkpoints; /* epochs reported; those of them that the rule looked at */
    int64_t wait;                 /* checkpoints since the last gain */
    double *losses;               /* ring of `window` past losses */
    cru_ids loss_ids;             /* validation items that the loss is taken over */
    int32_t *tails;               /* the memory of loss_ids where it is not the whole part */
} monitor;

/* Fails with CRU_BAD_INPUT when the rule needs what the task does not have (validation items, candidate sets, observed
 * labels). `task` must outlive the monitor. */
cru_status monitor_open(monitor *m, const monitor_settings *settings, const cru_task *task, cru_error *err);
void monitor_close(monitor *m);

/* The validation value of scores by the rule, the larger the better; for `last` and the oracle rules the observed
 * measure that fits the task. NAN when there is nothing to validate on. */
double monitor_value(const monitor_settings *settings, const cru_task *task, const float *scores);

/* Whether `gain` is better by the rule than `past`, which NULL stands for nothing. Strictly, so that ties keep the
 * earliest epoch. A NaN is never better, nor is anything better than a NaN, with which an arg-max can only begin. */
bool monitor_improves(const monitor_settings *settings, const monitor_gain *past, const monitor_gain *gain);

/* Whether what a worker said of its best epoch is at odds with the value, by the rule, of the scores that it predicts.
 * Two points are allowed for: a prediction need not be made in the same batches as a checkpoint. */
bool monitor_refutes(const monitor_settings *settings, const monitor_gain *said, double found);

/* The value of the scores that a trial predicts in the end, by which a search compares settings. For the judge: what a
 * worker says of itself is not believed. */
double monitor_final(const monitor_settings *settings, const cru_task *task, const float *scores);

#endif
