// SPDX-License-Identifier: Apache-2.0
/* boosting.h: XGBoost for the methods that boost trees. Built where XGBoost is (../../CMakeLists.txt). */
#ifndef GAD_BOOSTING_H
#define GAD_BOOSTING_H

#include <crucible/draft/forest.h>

#include "trees.h"

typedef struct boosting_settings {
    int64_t rounds, depth, booster;
    double eta, lambda, subsample;
} boosting_settings;

extern const char *const boosting_booster_names[]; /* "gbtree", "dart", NULL */

/* Entries of a schema for a boosting_settings member, with the method's own defaults. */
#define BOOSTING_SETTINGS(type_, member_, eta_, depth_)                                                                \
    CRU_INT_KEY(type_, "rounds", member_.rounds, 100, 1, 100000, "boosting rounds", .search = CRU_UNIFORM(10, 200)),   \
        CRU_FLOAT_KEY(type_, "eta", member_.eta, eta_, 0, 1, "share of a tree that is added",                          \
                      .search = CRU_LOG_UNIFORM(0.05, 0.5)),                                                           \
        CRU_INT_KEY(type_, "depth", member_.depth, depth_, 1, 64, "most splits above a leaf"),                         \
        CRU_FLOAT_KEY(type_, "lambda", member_.lambda, 1, 0, CRU_NO_MAX, "L2 penalty of the leaves",                   \
                      .search = CRU_ONE_OF(0, 1, 10)),                                                                 \
        CRU_FLOAT_KEY(type_, "subsample", member_.subsample, 1, 0.01, 1, "share of the rows a tree sees",              \
                      .search = CRU_ONE_OF(0.5, 0.75, 1)),                                                             \
        CRU_CHOICE_KEY(type_, "booster", member_.booster, 0, boosting_booster_names, "of XGBoost",                     \
                       .search = CRU_ANY_CHOICE)

/* Trees that were boosted. NULL is one that was not grown. */
typedef void *boosting;

/* What to learn from: x has a row for each of the samples, in the place of their own columns. */
typedef struct boosting_table {
    const cru_dense *x;
    const cru_samples *samples; /* labels, classes, and weights where there are any */
    const char *tree_method;    /* of XGBoost */
} boosting_table;

/* All rounds are used; 0.5 is the first guess. NULL and a failure in the context where XGBoost refuses. */
boosting boosting_grow(cru_ctx *ctx, const boosting_settings *s, const boosting_table *table);

/* Fills scores, rows x classes, with margins, which are logits: one number z for two classes, (0, z); else one each. */
void boosting_score(cru_ctx *ctx, boosting booster, const cru_dense *x, int32_t classes, float *scores);

void boosting_destroy(boosting booster); /* NULL is fine */

#endif
