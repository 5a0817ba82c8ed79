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

/* cut_off of r_v . r_u for every entry (v, u) of a: entries x 1 */
cru_tensor *similar_weights(cru_tape *t, cru_sparse *a, cru_tensor *r, double least);

/* These weights between the nodes `rows` and `cols`, both ascending, and 0 between a node and itself: rows x cols. */
cru_tensor *similar_block(cru_tape *t, cru_tensor *r, cru_ids rows, cru_ids cols, double least);

/* n / (|far| + |near|) (sum over far pairs of (r_i . r_j)^2 + sum over near pairs of (r_i . r_j - 1)^2); pairs are the
 * entries of patterns of n x n */
cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, cru_sparse *far, cru_sparse *near);

/* A graph with candidate edges: A + K + I as one pattern, and what each entry has from A + I and from K. In the
 * context. */
typedef struct labelled_graph {
    const cru_csr *graph;       /* A, the task's */
    cru_sparse *adj, *near;     /* D^-1/2 (A + I) D^-1/2; every edge of A once */
    cru_sparse *joint;          /* the pattern of A + K + I */
    cru_tensor *fixed, *learnt; /* per entry of joint: weight in A + I; 1 where in K */
} labelled_graph;
labelled_graph labelled_graph_create(cru_ctx *ctx, const cru_csr *graph, const cru_csr *candidates);

/* A + I + K weighed by similar_weights, not normalised. */
cru_learned_graph labelled_graph_weigh(cru_tape *t, const labelled_graph *g, cru_tensor *r, double least);

/* The same graph without the entries that weigh 0, often most of the candidates; as it is where weights need a
 * gradient. */
cru_learned_graph present_edges(cru_tape *t, const cru_learned_graph *g);

/* The reconstruction against the edges of A, with `each` absent pairs drawn for every node. */
typedef struct absent_pairs {
    int64_t each;
    cru_rng *rng;
} absent_pairs;
cru_tensor *reconstruct_sampled(cru_learner *l, cru_tape *t, const labelled_graph *g, cru_tensor *r,
                                const absent_pairs *draw);

/* "edges-kept" and "edges-added": entries of A, and of K outside of it, whose weight in `weights` (per entry of joint)
 * is not 0. */
void report_edges(cru_learner *l, cru_report *report, const labelled_graph *g, const cru_tensor *weights);

/* Those of `items` whose largest of q (n x classes, host) is above `least`: for this step. */
cru_ids confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least);

#endif
