// SPDX-License-Identifier: Apache-2.0
/* self-improvement.h: the graph that rncgln contrasts with, and how labels and graph improve. */
#ifndef PLUGINS_SELF_IMPROVEMENT_H
#define PLUGINS_SELF_IMPROVEMENT_H

#include <crucible/crucible.h>

/* A^order, counts of walks. */
cru_csr walk_counts(cru_pool pool, const cru_csr *graph, int64_t order);

/* With S_ij = u_i . u_j for rows of length 1, and S_ii = 0:
 *     mean over i of - log(sum_j e^(tau S_ij) G_ij / sum_j e^(tau S_ij) + 1e-8)
 * The sums run over the entries of G and, in blocks, over all pairs: no n x n matrix. */
cru_tensor *neighbour_contrast(cru_tape *t, cru_tensor *u, const cru_csr *g, double tau);

/* What that is the mean of: nodes x 1 */
cru_tensor *neighbour_contrast_each(cru_tape *t, cru_tensor *u, const cru_csr *g, double tau);

/* S .* G, of which the entries of a row stay that are larger than its k-th largest, k = floor(n (1 - drop)); u: rows of
 * length 1, nodes x cols, host. */
typedef struct similar_rows {
    const float *u;
    int64_t cols;
} similar_rows;
cru_csr improved_graph(cru_pool pool, const cru_csr *g, similar_rows similar, double drop);

/* Targets from predictions p, n x classes, in place: rows with a number of at least `one_hot` become one-hot. Returns
 * those of `eligible` with a number of at least `least`, ascending if they were; ids: eligible.count, written. */
typedef struct label_rules {
    double one_hot, least;
} label_rules;
cru_ids improved_labels(float *p, int64_t n, int64_t classes, cru_ids eligible, label_rules rules, int32_t *ids);

#endif
