// SPDX-License-Identifier: Apache-2.0
/* draft/forest.h: random forests of classification trees.
 *
 * CART as scikit-learn grows it: every tree sees a bootstrap of the rows and is grown until its leaves are pure; a node
 * looks at a few columns drawn for it and takes the split of largest impurity decrease; a leaf holds the weighted
 * shares of the classes, the forest predicts the mean of the leaves.
 *
 *     cru_samples samples = {.x = x, .labels = labels, .weights = weights, .classes = 2};
 *     cru_rng rng = cru_ctx_stream(ctx, "forest");
 *     cru_forest *forest = cru_forest_grow(&(cru_forest_shape){.trees = 100, .sample = 1}, &samples, &rng);
 *     cru_forest_predict(forest, &x, share);
 *     cru_forest_destroy(forest);
 *
 * Splits are exact. Columns are ranked once for all trees, so that nodes sort whole numbers, or, where a node holds
 * much of a column, sum into one bin a value and sort nothing. Trees grow in parallel, each from a stream of its own:
 * the same bits for any number of threads.
 *
 * Breiman. Random Forests. Machine Learning 2001. */
#ifndef CRUCIBLE_DRAFT_FOREST_H
#define CRUCIBLE_DRAFT_FOREST_H

#include <crucible/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cru_impurity {
    CRU_GINI,    /* 1 - sum_c p_c^2 */
    CRU_ENTROPY, /* - sum_c p_c log2 p_c */
} cru_impurity;
CRU_API extern const char *const cru_impurity_names[]; /* "gini", "entropy", NULL */

typedef struct cru_forest_shape {
    int64_t trees;
    cru_impurity impurity;
    double sample;    /* draws with replacement a tree, as a share of the rows (rounded, at least 1); 0: no drawing,
                       * every tree sees each row once */
    int64_t features; /* columns drawn at a node, constant ones included; more when all of them are constant there. 0:
                       * the root of their number, rounded down */
} cru_forest_shape;

typedef struct cru_forest cru_forest;

/* Never NULL; the samples are not needed afterwards. The stream is not moved. */
CRU_API cru_forest *cru_forest_grow(const cru_forest_shape *shape, const cru_samples *samples, const cru_rng *rng);
CRU_API void cru_forest_destroy(cru_forest *forest); /* NULL is fine */

/* share: x->rows x classes, the mean over the trees; rows sum to 1. x has the columns of the samples. */
CRU_API void cru_forest_predict(const cru_forest *forest, const cru_dense *x, float *share);

/* Nodes of all trees together, leaves included. */
CRU_API int64_t cru_forest_nodes(const cru_forest *forest);

#ifdef __cplusplus
}
#endif
#endif
