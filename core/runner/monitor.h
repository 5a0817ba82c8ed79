/* monitor.h: one stopping and selection rule for all methods of an experiment.
 *
 * The worker makes a monitor from the [monitor] section and the task, and lends its `face` to the method's fit. After
 * every epoch that the method reports, the rule says whether these weights are the best so far (CRU_KEEP) and whether to
 * end (CRU_STOP). It looks at observed validation labels only. Rules that need truth are applied by the judge: the
 * checkpoint hook hands the scores out and the method learns nothing back. */
#ifndef CORE_RUNNER_MONITOR_H
#define CORE_RUNNER_MONITOR_H

#include <stdbool.h>

#include <crucible/params.h>
#include <crucible/plugin.h>

typedef enum monitor_rule {
    MONITOR_LAST,         /* the weights after the last epoch */
    MONITOR_ACCURACY,     /* highest validation accuracy */
    MONITOR_LOSS,         /* lowest validation cross-entropy */
    MONITOR_EITHER,       /* accuracy or loss improved */
    MONITOR_BOTH,         /* accuracy and loss improved */
    MONITOR_AUC,          /* highest area under the ROC curve */
    MONITOR_AUPRC,        /* highest average precision */
    MONITOR_COVERING,     /* partial labels: highest covering rate */
    MONITOR_APPROXIMATED, /* partial labels: highest approximated accuracy */
    MONITOR_ORACLE,       /* last weights; their true validation accuracy ranks settings */
    MONITOR_ORACLE_STOP,  /* the checkpoint with the highest true validation accuracy */
} monitor_rule;

typedef struct monitor_settings {
    int64_t rule;       /* monitor_rule */
    int64_t patience;   /* epochs in a row without gain before the end; 0: never */
    int64_t min_epochs; /* the rule ends training only after an epoch numbered above this */
    int64_t max_epochs; /* 0: as many as the method wants */
    int64_t window;     /* end when the loss exceeds its mean over this many epochs before; 0: never */
    int64_t skip;       /* first reports that cannot be selected */
    bool restore;       /* true: predict with the selected weights; false: with the last ones */
    bool paper;         /* approximated accuracy as printed in the paper rather than as in its code */
} monitor_settings;

/* The [monitor] section. */
extern const cru_param monitor_params[];

typedef struct monitor_point {
    int64_t epoch;
    double loss;  /* training loss as reported; may be NAN */
    double value; /* of the rule; NAN for the oracle rules */
} monitor_point;

typedef struct monitor_hooks {
    void (*record)(void *user, const monitor_point *point);                    /* every report; may be NULL */
    void (*checkpoint)(void *user, const monitor_point *point, const float *scores); /* oracle-stop only */
    double (*now)(void *user); /* seconds since the trial began */
    void *user;
} monitor_hooks;

typedef struct monitor {
    cru_monitor face; /* what the method is given */
    monitor_settings settings;
    const cru_task *task;
    monitor_hooks hooks;
    double best, best_loss; /* of the rule's value, larger is better; of the loss */
    int64_t best_epoch;     /* -1: none was better than another */
    double seconds_to_best;
    int64_t epochs, wait; /* reports so far; since the last gain */
    double *losses;       /* ring of `window` past losses */
    double loss_sum;
} monitor;

/* Fails with CRU_BAD_INPUT when the rule needs what the task does not have (validation items, candidate sets, observed
 * labels). `task` must outlive the monitor. */
cru_status monitor_open(monitor *m, const monitor_settings *settings, const cru_task *task, cru_error *err);
void monitor_close(monitor *m);

/* The validation value of final scores by the rule, the larger the better, for ranking settings; for `last` and
 * `oracle` the observed measure that fits the task. NAN when there is nothing to validate on. */
double monitor_value(const monitor_settings *settings, const cru_task *task, const float *scores);

#endif
