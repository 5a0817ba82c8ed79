// SPDX-License-Identifier: Apache-2.0
/* learned-graph.h: graphs whose weights are learned, and convolutions over them.
 *
 * What structure learning needs: weights are tensors of a step, and gradients go through the normalisation back to what
 * made them.
 *
 *     cru_learned_graph g = {.pattern = joint, .weights = cru_exp(t, scores)};
 *     g = cru_learned_graph_normalise(t, &g);
 *     cru_tensor *z = cru_learned_graph_convolve(t, &g, &convs, &x);                       // n x classes */
#ifndef CRUCIBLE_LEARNED_GRAPH_H
#define CRUCIBLE_LEARNED_GRAPH_H

#include <crucible/csr.h>
#include <crucible/nn.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Weights on the entries of a pattern and, unless `dense` is NULL, between all nodes of two sets: the nodes `rows`
 * aggregate from the nodes `cols`. What both parts store adds up. For one step, like its tensors. */
typedef struct cru_learned_graph {
    cru_sparse *pattern; /* n x n */
    cru_tensor *weights; /* one per entry: entries x 1 */
    cru_tensor *dense;   /* rows.count x cols.count, or NULL */
    cru_index rows, cols;
} cru_learned_graph;

/* D^-1/2 G D^-1/2 with the sums of rows in D, which must be positive; self-loops are among the weights. */
CRU_API cru_learned_graph cru_learned_graph_normalise(cru_tape *t, const cru_learned_graph *g);

/* G x: n x c -> n x c */
CRU_API cru_tensor *cru_learned_graph_spread(cru_tape *t, const cru_learned_graph *g, cru_tensor *x);

/* The stack's convolutions, which have biases, with G, normalised, in place of an adjacency. */
CRU_API cru_tensor *cru_learned_graph_convolve(cru_tape *t, const cru_learned_graph *g, const cru_gcn_stack *stack,
                                               const cru_input *x);

/* One number per entry of `whole`: its value in `part`, 0 where that stores none; entries x 1, in the context. Rows of
 * `part` must ascend. */
CRU_API cru_tensor *cru_learned_graph_marks(cru_ctx *ctx, const cru_csr *whole, const cru_csr *part);

#ifdef __cplusplus
}
#endif
#endif
