// SPDX-License-Identifier: Apache-2.0
/* classifier-gain.h: does a classifier gain accuracy when features are aggregated over neighbours?
 *
 * Repeatedly: draw a sample of nodes (all of a small graph), the same number of each class; split it into train and
 * test; let a classifier without parameters to tune learn from the features X and from the aggregated features A X.
 * With w the share of repeats in which A X wins, strictly, and p of a two-sided Welch test between the accuracies:
 *
 *     value = p / 2 when w <= 1/2, else 1 - p / 2      near 1: the graph helps, near 0: it hurts
 *
 * Luan, Hua, Xu, Lu, Zhu, Chang, Fu, Leskovec, Precup. When Do Graph Neural Networks Help with Node Classification?
 * NeurIPS 2023. */
#ifndef METRICS_CLASSIFIER_GAIN_H
#define METRICS_CLASSIFIER_GAIN_H

#include <crucible/plugin.h>

#include "feature-rows.h"

#define GAIN_CITATION                                                                                                  \
    "Luan, Hua, Xu, Lu, Zhu, Chang, Fu, Leskovec, Precup. When Do Graph Neural Networks Help with Node "               \
    "Classification? Investigating the Homophily Principle on Node Distinguishability. NeurIPS 2023."

typedef struct gain_settings {
    int64_t aggregator, feature_norm; /* feature-rows.h */
    int64_t repeats, sample;
    int64_t undefined;
} gain_settings;

extern const cru_param gain_params[];

/* One classification: the first `train` rows are learnt from. */
typedef struct gain_case {
    feature_rows rows;
    const int32_t *labels; /* of all rows; those after the first `train` must not be looked at */
    int64_t train;
    int32_t classes;
    cru_arena *arena; /* for scratch */
} gain_case;

/* Writes rows.count - train classes to `guess`. */
typedef cru_status gain_classifier(const void *settings, const gain_case *c, int32_t *guess, cru_error *err);

typedef struct gain_method {
    gain_classifier *classify;
    const void *settings; /* handed to `classify` */
} gain_method;

/* ---- the steps, for tests -------------------------------------------------------------------------------- */

/* Nodes with a label, class by class. */
typedef struct gain_population {
    const int32_t *labels; /* of all nodes */
    int32_t *ids;
    int64_t *offsets; /* classes + 1 */
    int32_t classes;
} gain_population;
gain_population gain_population_create(const cru_data *data, cru_arena *arena);

typedef struct gain_draw {
    int32_t *ids;         /* train first */
    int64_t train, count; /* count: train and test */
} gain_draw;

/* A draw in memory of the arena: from each class round(sample / classes) nodes (all when there are no more than
 * `sample` in all), of these round(0.6 drawn / classes) for training. Reorders the population within its classes. */
gain_draw gain_sample(gain_population *p, int64_t sample, cru_rng *rng, cru_arena *arena);

typedef struct gain_view {
    const gain_method *method;
    const feature_source *source;
    const gain_population *population;
    bool aggregated;
    cru_arena *arena;
} gain_view;

typedef struct gain_result {
    int32_t *guess;  /* of the test part, in memory of the arena */
    double accuracy; /* NAN without train or test part */
} gain_result;
cru_status gain_accuracy(const gain_view *view, const gain_draw *draw, gain_result *out, cru_error *err);

/* From the accuracies on X and on A X in n repeats. */
typedef struct gain_verdict {
    double wins, p, value;
} gain_verdict;
gain_verdict gain_judge(const double *plain, const double *aggregated, int64_t n);

/* ---- all of it ------------------------------------------------------------------------------------------- */

typedef struct gain_job {
    const gain_settings *settings;
    gain_method method;
    const cru_judging *judging;
} gain_job;

/* What a metric's `score` does. Also reports the mean accuracies, the share of wins and p. */
cru_status gain_score(const gain_job *job, double *value);

#endif
