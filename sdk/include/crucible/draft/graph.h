// SPDX-License-Identifier: Apache-2.0
/* draft/graph.h: further operations on graphs: Laplacians, neighbourhoods, balancing, blocks. Continues graph.h. */
#ifndef CRUCIBLE_DRAFT_GRAPH_H
#define CRUCIBLE_DRAFT_GRAPH_H

#include <crucible/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- normalisation --------------------------------------------------------------------------------------------- */

typedef enum cru_laplacian {
    CRU_LAPLACIAN_PLAIN, /* D - A */
    CRU_LAPLACIAN_SYM,   /* I - D^-1/2 A D^-1/2; an isolated node has 1 on the diagonal */
    CRU_LAPLACIAN_WALK,  /* I - D^-1 A */
} cru_laplacian;

/* The diagonal is stored for every node, also where it is 0. */
CRU_API cru_csr cru_graph_laplacian(cru_pool pool, const cru_csr *g, cru_laplacian kind);

/* 2 L / lambda_max - I, the argument of Chebyshev polynomials. */
CRU_API cru_csr cru_graph_laplacian_scaled(cru_pool pool, const cru_csr *laplacian, double lambda_max);

/* Sinkhorn-Knopp on the stored entries, in the order of updates that RawlsGCN uses:
 *     right = 1 / colsum(S), left = 1 / (S right); until all row and column sums are within 1 +- tolerance, or
 *     max_iterations: right = 1 / (left S), left = 1 / (S right), S <- diag(left) S diag(right)
 * where left and right carry over from one round to the next. 1/0 counts as 0. Shares offsets and ids with g. */
CRU_API cru_csr cru_graph_doubly_stochastic(cru_pool pool, const cru_csr *g, double tolerance, int32_t max_iterations);

/* ---- neighbourhoods -------------------------------------------------------------------------------------------- */

/* Pattern of pairs (v, u) with u reachable from v along rows in 1..k steps by a shortest path; never the diagonal. */
CRU_API cru_csr cru_graph_within(cru_pool pool, const cru_csr *g, int32_t k);

/* Pattern of pairs at distance exactly k. k = 2 on a loop-free graph: pattern(A A) minus A minus the diagonal. */
CRU_API cru_csr cru_graph_exact_hop(cru_pool pool, const cru_csr *g, int32_t k);

/* pattern(A A) minus pattern(A), where A is g without its loops. The diagonal (v returns to itself over a neighbour) is
 * kept or dropped. */
CRU_API cru_csr cru_graph_two_hop(cru_pool pool, const cru_csr *g, bool keep_diagonal);

/* ---- parts and unions ------------------------------------------------------------------------------------------ */

/* The nodes within `hops` steps along rows of the seeds, and all edges among them. Seeds (distinct) come first in the
 * given order, then nodes by distance, ascending within one distance. */
CRU_API cru_subgraph cru_graph_ego(cru_pool pool, const cru_csr *g, cru_ids seeds, int32_t hops);

/* The blocks `ids` (in that order, repeats allowed) of a block-diagonal graph whose block i owns the nodes
 * offsets[i] .. offsets[i+1]-1: a minibatch of graphs. chosen_offsets: ids.count + 1, written. */
typedef struct cru_blocks {
    const cru_csr *graph;
    const int64_t *offsets;
} cru_blocks;
CRU_API cru_csr cru_graph_batch_select(cru_pool pool, cru_blocks blocks, cru_ids ids, int64_t *chosen_offsets);

#ifdef __cplusplus
}
#endif
#endif
