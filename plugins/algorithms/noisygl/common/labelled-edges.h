/* labelled-edges.h: edges to labelled nodes with similar features, weighed by learned representations (NRGNN). */
#ifndef PLUGINS_LABELLED_EDGES_H
#define PLUGINS_LABELLED_EDGES_H

#include <crucible/crucible.h>

/* Pattern of pairs in both directions: every node with the `k` training nodes of the most similar features by cosine,
 * all of them when there are fewer; among equals the first in the training part. A node may be paired with itself. */
cru_csr similar_labelled(cru_pool pool, const cru_task *task, int64_t k);

/* x where it is above `least` (>= 0), else 0 */
cru_tensor *cut_off(cru_tape *t, cru_tensor *x, float least);

/* The same of r_v . r_u for every entry (v, u) of a: entries x 1 */
cru_tensor *similar_weights(cru_tape *t, cru_sparse *a, cru_tensor *r, float least);

/* rows / (|far| + |near|) (sum over far pairs of (r_i . r_j)^2 + sum over near pairs of (r_i . r_j - 1)^2) */
typedef struct pair_list {
    cru_index row, col;
} pair_list;
cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, pair_list far, pair_list near);

/* The entries of a list of pairs with row < col, for this step. */
pair_list upper_pairs(cru_tape *t, const int32_t *row, const int32_t *col, int64_t count);

/* Those of `items` whose largest of q (items x classes, host) is above `least`: for this step. */
cru_index confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least);

#endif
