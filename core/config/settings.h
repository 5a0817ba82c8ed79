// SPDX-License-Identifier: Apache-2.0
/* settings.h: the host's own sections, declared with the same tables as the settings of plugins. */
#ifndef CORE_CONFIG_SETTINGS_H
#define CORE_CONFIG_SETTINGS_H

#include <crucible/params.h>

/* [experiment]: the lists are texts here; config_load takes them apart. */
typedef struct experiment_settings {
    const char *name, *seeds, *datasets, *corruptors, *algorithms, *metrics;
} experiment_settings;
extern const cru_param experiment_params[];

/* Whether plugins are locked in: as well as the kernel can, not at all, or else nothing is run. */
typedef enum run_sandbox { RUN_SANDBOX_OFF, RUN_SANDBOX_ON, RUN_SANDBOX_REQUIRED } run_sandbox;

/* What is kept for metrics that come later. */
typedef enum run_keep { RUN_KEEP_NONE, RUN_KEEP_SCORES, RUN_KEEP_ALL } run_keep;

/* [run]: how trials are carried out. Only `device` may change results. */
typedef struct run_settings {
    int64_t jobs;          /* trials at a time; 0: one per core */
    int64_t threads;       /* per trial */
    int64_t memory;        /* MiB per trial; 0: the machine's, divided by the jobs; -1: no limit */
    double timeout;        /* seconds of wall-clock time per trial; 0: no limit */
    double cpu;            /* seconds of CPU time per trial; 0: no limit */
    int64_t thread_limit;  /* threads that a trial may start; 0: no limit */
    int64_t file_limit;    /* files that a trial may have open; 0: no limit */
    int64_t scratch;       /* MiB that a trial may write to its scratch folder; 0: it has none */
    int64_t sandbox;       /* run_sandbox */
    const char *device;    /* cpu, or a backend plugin, perhaps with a card: cuda:1 */
    const char *devices;   /* several cards to spread trials over: 0, 1 */
    int64_t device_memory; /* MiB of the card per trial; 0: no limit */
    const char *db;        /* the results store; relative to the working directory */
    bool curves;           /* keep learning curves */
    int64_t keep;          /* run_keep */
    int64_t keep_limit;    /* MiB of that in the store; 0: no limit */
    bool predictions;      /* keep the scores of every item */
} run_settings;
extern const cru_param run_params[];

/* Which checkpoint of a training counts. Ties keep the earliest. */
typedef enum monitor_rule {
    MONITOR_VALIDATION,            /* best on observed validation labels, by `criterion` */
    MONITOR_LAST,                  /* the last epoch */
    MONITOR_COVERING_RATE,         /* best covering rate on validation candidates */
    MONITOR_APPROXIMATED_ACCURACY, /* best approximated accuracy on validation candidates */
    MONITOR_ORACLE,                /* the last epoch; its true validation accuracy is the score of a search */
    MONITOR_ORACLE_EARLY,          /* best true validation accuracy: oracle with early stopping */
} monitor_rule;

typedef enum monitor_criterion { MONITOR_METRIC, MONITOR_LOSS, MONITOR_EITHER, MONITOR_BOTH } monitor_criterion;

/* Measured in the worker on observed labels, where no metric plugin is loaded (runner/validation.h). */
typedef enum monitor_metric { MONITOR_AUTO, MONITOR_ACCURACY, MONITOR_AUC, MONITOR_AUPRC } monitor_metric;

/* What a search compares settings by when the rule is `validation` and the criterion the loss: that loss, or the metric
 * of the weights which it chose. */
typedef enum monitor_rank { MONITOR_RANK_CRITERION, MONITOR_RANK_METRIC } monitor_rank;

/* What becomes of scores that are not finite. */
typedef enum monitor_nonfinite {
    MONITOR_NONFINITE_FAIL, /* no rule selects them, and a trial that predicts them has failed */
    MONITOR_NONFINITE_KEEP, /* they are judged like others: a NaN is the highest score of its row, a rule whose value is
                               NaN at the first checkpoint that it may select stays there */
} monitor_nonfinite;

/* By which weights an epoch is judged: those after its step; those before it, so that the first epoch is judged by the
 * initial ones; or those before it unless the method uses dropout (cru_monitor_unless_dropout). */
typedef enum monitor_judgement { MONITOR_AFTER_STEP, MONITOR_BEFORE_STEP, MONITOR_BEFORE_AUTO } monitor_judgement;

/* [monitor]: the stopping and selection rule, the same for all methods. Where several are listed and none of them stops
 * early, a method made with train.h trains once for all of them (runner/sharing.h). */
typedef struct monitor_settings {
    int64_t rule;        /* monitor_rule */
    int64_t criterion;   /* monitor_criterion: what counts as an improvement under the rule `validation` */
    int64_t metric;      /* monitor_metric: of the rule `validation`; auto: auprc for anomalies, else accuracy */
    int64_t rank;        /* monitor_rank */
    int64_t epochs;      /* at most; 0: as many as the method's own setting says */
    int64_t min_epochs;  /* patience does not stop at an epoch numbered at or below this */
    int64_t patience;    /* reports in a row without improvement before training stops; 0: never */
    int64_t window;      /* stop when the validation loss exceeds its mean over this many reports before; 0: never */
    int64_t skip;        /* first reports that cannot be selected */
    int64_t every;       /* epochs between checkpoints */
    int64_t before_step; /* monitor_judgement */
    bool restore;        /* true: predict with the selected weights; false: with the last ones */
    bool paper;          /* approximated accuracy as the paper prints it: no credit for vanishing candidates */
    int64_t nonfinite;   /* monitor_nonfinite */
    double heads;        /* share of the graphs, the largest, without a part in the validation loss */
} monitor_settings;
extern const cru_param monitor_params[];

typedef enum search_method { SEARCH_NONE, SEARCH_GRID, SEARCH_RANDOM, SEARCH_TPE } search_method;
typedef enum search_per { SEARCH_PER_SEED, SEARCH_FIRST_SEED, SEARCH_ALL_SEEDS } search_per;
typedef enum search_ties { SEARCH_TIES_FIRST, SEARCH_TIES_LAST } search_ties;
typedef enum search_rng { SEARCH_RNG_PHILOX, SEARCH_RNG_STUDY } search_rng;

/* [search]: hyperparameters, chosen by the monitor's score on validation data only. */
typedef enum search_select { SEARCH_SELECT_VALIDATION, SEARCH_SELECT_TEST } search_select;

typedef struct search_settings {
    int64_t method; /* search_method */
    int64_t trials; /* settings tried per search; 0: all of a grid, else 20 or, with `minutes`, as many as fit */
    double minutes; /* of running trials, per search; 0: no limit but `trials` */
    int64_t per;    /* search_per: one search for each seed, one on the first seed whose choice the other seeds take
                       over, or one whose score is the mean over all seeds */
    int64_t ties;   /* search_ties: which of the settings with the best score is chosen */
    bool defaults_first; /* the first setting tried is the defaults; grids have none but their points */
    int64_t points;      /* of a continuous distribution in a grid */
    int64_t startup;     /* random settings before TPE models anything */
    int64_t ahead;       /* settings that may run before a result is needed, where results matter: tpe, minutes. Not
                            the number of jobs, so that what is tried does not depend on it */
    int64_t rng;         /* search_rng: our own streams, or a NumPy generator a value, seeded by a hash (study-rng.h) */
    int64_t select;      /* search_select: by which scores settings are chosen */
    bool own_draws;      /* settings after the first train with other first weights and batches: trial_method_seed */
} search_settings;
extern const cru_param search_params[];

/* Settings tried per search that is not a grid: what is asked for, else 20; INT64_MAX where only time limits it. */
int64_t search_trials(const search_settings *s);

typedef enum split_view {
    VIEW_TRANSDUCTIVE, /* all nodes; only labels are hidden */
    VIEW_INDUCTIVE,    /* no test node and no edge to one; see data_seen */
    VIEW_PARTS,        /* nor any node that is in no part */
} split_view;

/* [split]: what the host reads of it; all other keys are settings of the scheme, a plugin. */
typedef struct split_settings {
    const char *scheme, *protocol;
    int64_t view; /* split_view: what a method may look at while it learns */
} split_settings;
extern const cru_param split_params[];

/* What stands behind "mean ±". */
typedef enum report_spread { REPORT_STD, REPORT_STD0, REPORT_SEM, REPORT_SEM0 } report_spread;

/* [report]: defaults of `crucible report`. */
typedef struct report_settings {
    const char *rows, *cols; /* settings to pivot on */
    const char *where;       /* "key=value, key=value" */
    const char *metrics;     /* which to show; empty: all */
    int64_t spread;          /* report_spread */
    const char *reference;   /* CSV of values to compare with; relative to the file that names it */
    bool average;            /* a column with the mean over the columns */
    const char *groups;      /* "name: value, value | name: value": columns to rank and average by themselves */
    const char *baselines;   /* rows; cells of others that are worse are marked */
    const char *minus;       /* a column or a row: the others as differences from it */
    const char *against;     /* another experiment of the store to compare with */
} report_settings;
extern const cru_param report_params[];

/* [paths]: each may be empty, then the default holds. Relative ones count from the file that names them. */
typedef struct paths_settings {
    const char *plugins; /* further folders, ':' between them */
    const char *cards;   /* further folders of dataset cards, ':' between them */
    const char *mirror;  /* <mirror>/<dataset>/<file> */
    const char *data;    /* download folder */
    const char *cache;
    const char *python; /* of methods in Python: a path, or a name on PATH */
} paths_settings;
extern const cru_param paths_params[];

#endif
