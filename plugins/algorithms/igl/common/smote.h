// SPDX-License-Identifier: Apache-2.0
/* smote.h: points between a node and its nearest neighbour of the same class, and edges for them.
 *
 * The last two functions are those of GraphSMOTE, where c_v = e_v W is a code of every node's embedding and
 * sigmoid(c_u . c_v) the probability of an edge. */
#ifndef IGL_SMOTE_H
#define IGL_SMOTE_H

#include <crucible/crucible.h>

/* nearest[i]: the place in `members` of the other member whose row of x is nearest to that of members.ids[i], the first
 * of equals; i itself when there is no other. x has `cols` columns. */
void smote_nearest(const float *x, int64_t cols, cru_ids members, int32_t *nearest);

/* New nodes between pairs (first[i], second[i]). */
typedef struct smote_pairs {
    const int32_t *first, *second;
    int64_t count;
} smote_pairs;

/* The graph with the new nodes after the others. A new node may be linked to what the rows of either of its pair hold,
 * and is, both ways, where the probability of that edge is at least 1/2. code: cols numbers for each of the nodes, then
 * for each new one. */
cru_csr smote_graph(cru_pool pool, const cru_csr *g, smote_pairs pairs, const float *code, int64_t cols);

/* sum over all pairs (u, v) of w_uv (sigmoid(c_u . c_v) - A_uv)^2, where A holds 0 and 1 and w_uv is 1 where it holds 1
 * and else E / (n^2 - E) for E entries. The n x n matrix never exists. */
cru_tensor *smote_reconstruction(cru_tape *t, cru_sparse *a, cru_tensor *code);

#endif
