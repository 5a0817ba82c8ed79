// SPDX-License-Identifier: Apache-2.0
/* artefact.h: the sections that make an experiment file a published table or figure.
 *
 *     [artefact]                    what was printed: title, CSV, rows, columns (artefact_params)
 *     [match]                       which of our settings a column of the CSV is
 *     method  = alias
 *     damage  = corruptor: none clean | asymmetric random      ; ours, then as published; what is not named stays
 *     rate    = corruptor.rate
 *     [quick]                       values of --quick, as --set has them
 *     experiment.seeds = 0, 1
 *     only.dataset     = cora
 *
 * Without a line in [match], method is alias, dataset is dataset, metric is metric, damage is the corruptor with none
 * as clean, rate is corruptor.rate. A column of the CSV that is neither matched nor a row or a column of the table is
 * left to `where`. */
#ifndef CORE_CONFIG_ARTEFACT_H
#define CORE_CONFIG_ARTEFACT_H

#include <crucible/arena.h>
#include <crucible/params.h>

#include "config/config.h"
#include "config/values.h"

/* A table of settings is not of trials: settings-table.h. */
typedef enum artefact_kind { ARTEFACT_TABLE, ARTEFACT_FIGURE, ARTEFACT_SETTINGS } artefact_kind;

/* Along what the best and the second best value are marked. */
typedef enum artefact_marks {
    ARTEFACT_MARKS_AUTO,
    ARTEFACT_MARKS_ROWS,
    ARTEFACT_MARKS_COLS,
    ARTEFACT_MARKS_NONE
} artefact_marks;

typedef struct artefact_settings {
    const char *title, *study;
    int64_t kind;            /* artefact_kind */
    const char *published;   /* a CSV; absolute */
    const char *where;       /* lines of it that belong here */
    const char *also;        /* cells that the print has and the CSV has not: "dataset: flickr" */
    const char *rows, *cols; /* columns of the CSV */
    const char *metric;      /* of ours, where the CSV has no column for it */
    const char *lists;       /* that trials reported, whose numbers are metrics (frame_add_list) */
    const char *groups;      /* "LLN: a, b | GLN: c": headings above rows */
    const char *order;       /* values of rows and columns in their order, where it is not that of the CSV */
    const char *labels;      /* "gcn: GCN | mlp-2: MLP (2)": how values are printed */
    int64_t marks;           /* artefact_marks */
    bool lower;              /* smaller values are better */
    double points, stds;     /* inside: within the larger of the two */
    const char *unjudged;    /* metrics without a verdict */
    bool average;
    const char *baselines; /* rows, as printed: the best of them is a row of its own, others are held against it */
    const char *ranks;     /* "name: a, b | name: c": columns as printed; rows are ranked over all and over these */
    const char *curves, *curve_over, *curve_scale, *curve_flip; /* see frechet.h */
    const char *plot;                                           /* kind of the picture */
    const char *parts;                                          /* files of experiments; empty: this one */
    const char *note;                                           /* printed below */
} artefact_settings;
extern const cru_param artefact_params[];

typedef struct artefact_match {
    const char *column; /* of the CSV */
    const char *key;    /* ours */
    config_place place;
    const char *const *pairs; /* ours, published, ours, published ... */
    int64_t pair_count;
} artefact_match;

/* A dataset or a method that takes part. */
typedef struct artefact_name {
    const char *label, *name; /* as tables call it; of the card or plugin */
} artefact_name;

typedef struct artefact_file {
    artefact_settings settings;
    const char *path;
    const char *name; /* "noisygl/table-a1", from the path */
    bool is_artefact; /* it has the section [artefact] */
    artefact_match *matches;
    int64_t match_count;
    value_list parts; /* none: the file itself */
    cru_arena *arena; /* holds all of it */
    cru_settings *owner;
    const struct document *doc;
} artefact_file;

/* Reads the three sections. The caller destroys *out, which is there after a failure, too; CRU_BAD_INPUT: `diags` has a
 * line for every fault. */
cru_status artefact_read(const char *path, artefact_file **out, diagnostics *diags);
void artefact_destroy(artefact_file *a);

/* Where a key of [artefact] stands; the whole file when it is not there. */
config_place artefact_place(const artefact_file *a, const char *key);

/* The conditions of [quick], as --only has them: "dataset=cora". In the artefact's memory. */
value_list artefact_quick_only(const artefact_file *a);

/* A fault for every entry of [quick] whose section no part has. */
void artefact_check_quick(const artefact_file *a, diagnostics *diags);

/* The datasets and the algorithms of an experiment by its files, without a look at plugins or cards. In `arena`. */
typedef struct experiment_names {
    artefact_name *datasets, *algorithms;
    int64_t dataset_count, algorithm_count;
} experiment_names;

void experiment_names_read(cru_arena *arena, const config_request *request, experiment_names *out);

#endif
