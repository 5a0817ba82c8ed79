// SPDX-License-Identifier: Apache-2.0
/* labelled-edges.h: edges to labelled nodes with similar features, weighed by learned representations (NRGNN). */
#ifndef PLUGINS_LABELLED_EDGES_H
#define PLUGINS_LABELLED_EDGES_H

#include <crucible/crucible.h>

/* Pattern of pairs in both directions: every node with the `k` training nodes of the most similar features by cosine,
 * all of them when there are fewer or k is below 0; among equals, and for nodes without features, the first in the
 * training part. A node may be paired with itself. */
cru_csr similar_labelled(cru_pool pool, const cru_task *task, int64_t k);

/* x where it is above `least` (>= 0), else 0 */
cru_tensor *cut_off(cru_tape *t, cru_tensor *x, double least);

/* The same of r_v . r_u for every entry (v, u) of a: entries x 1 */
cru_tensor *similar_weights(cru_tape *t, cru_sparse *a, cru_tensor *r, double least);

/* The same between the nodes `rows` and `cols`, both ascending, and 0 between a node and itself: rows x cols. */
cru_tensor *similar_block(cru_tape *t, cru_tensor *r, cru_ids rows, cru_ids cols, double least);

/* n / (|far| + |near|) (sum over far pairs of (r_i . r_j)^2 + sum over near pairs of (r_i . r_j - 1)^2); pairs are the
 * entries of patterns of n x n */
cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, cru_sparse *far, cru_sparse *near);

/* Those of `items` whose largest of q (n x classes, host) is above `least`: for this step. */
cru_ids confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least);

#endif
