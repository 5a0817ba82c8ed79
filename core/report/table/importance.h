// SPDX-License-Identifier: Apache-2.0
/* importance.h: how much of the variance of a score each setting of a search explains by itself: functional ANOVA of a
 * forest of regression trees (Hutter, Hoos, Leyton-Brown. An Efficient Approach for Assessing Hyperparameter
 * Importance. ICML 2014).
 *
 * A setting is known by the order of its values alone, and every value that was tried counts as likely: so no range or
 * log scale has to be told, and of a full grid the main effects are those of the analysis of variance. */
#ifndef CORE_REPORT_IMPORTANCE_H
#define CORE_REPORT_IMPORTANCE_H

#include <crucible/random.h>

typedef struct importance_data {
    int64_t rows, cols;
    const int32_t *levels; /* rows x cols: which value, by its order; below counts[col] */
    const int32_t *counts; /* values of every column, at least 1 */
    const double *scores;  /* rows, finite */
} importance_data;

typedef struct importance_shape {
    int32_t trees; /* 0: one tree of all rows, grown until its leaves are pure */
    int32_t leaf;  /* fewest rows of a leaf; 0: 1 */
} importance_shape;

/* shares: of the variance, one a column, between 0 and 1; all NAN when the scores do not vary. What remains to 1 is
 * interaction. The mean over the trees. */
void importance_of(const importance_data *data, const importance_shape *shape, cru_rng *rng, double *shares);

#endif
