/* learned-graph.h: graphs whose weights are learned, and convolutions over them. */
#ifndef PLUGINS_LEARNED_GRAPH_H
#define PLUGINS_LEARNED_GRAPH_H

#include <crucible/crucible.h>

/* Weights on the entries of a pattern and, unless `dense` is NULL, between all nodes of two sets: the nodes `rows`
 * aggregate from the nodes `cols`. What both parts store adds up. For one step, like its tensors. */
typedef struct learned_graph {
    cru_sparse *pattern; /* n x n */
    cru_tensor *weights; /* one per entry: entries x 1 */
    cru_tensor *dense;   /* rows.count x cols.count, or NULL */
    cru_index rows, cols;
} learned_graph;

/* D^-1/2 G D^-1/2 with the sums of rows in D; self-loops are among the weights. */
learned_graph learned_graph_normalise(cru_tape *t, const learned_graph *g);

/* G x: n x c -> n x c */
cru_tensor *learned_graph_spread(cru_tape *t, const learned_graph *g, cru_tensor *x);

/* The stack's convolutions with G, normalised, in place of an adjacency. */
cru_tensor *learned_graph_convolve(cru_tape *t, const learned_graph *g, const cru_gcn_stack *stack, const cru_input *x);

/* One number per entry of `whole`: its value in `part`, 0 where that stores none; entries x 1. */
cru_tensor *learned_graph_marks(cru_ctx *ctx, const cru_csr *whole, const cru_csr *part);

#endif
