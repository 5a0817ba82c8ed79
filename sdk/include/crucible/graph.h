// SPDX-License-Identifier: Apache-2.0
/* graph.h: graphs as sparse matrices: making them regular, normalising, neighbourhoods, parts and unions.
 *
 * A graph is a square `cru_csr` whose row v lists the nodes that v aggregates from: an edge u -> v is the entry (v, u).
 * The in-degree of v is its row length, the out-degree of u the number of entries in column u. Sparse algebra is in
 * csr.h (whose rules on memory, order and threads hold here too), traversal in paths.h, random draws in sampling.h. */
#ifndef CRUCIBLE_GRAPH_H
#define CRUCIBLE_GRAPH_H

#include <crucible/csr.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- shape ----------------------------------------------------------------------------------------------------- */

typedef enum cru_symmetry {
    CRU_SYM_OR,  /* an edge in either direction becomes an edge in both; no weights */
    CRU_SYM_MAX, /* weight = the larger of the two directions, a missing one counting as absent */
    CRU_SYM_SUM, /* A + A^T off the diagonal; a self-loop keeps its weight */
} cru_symmetry;

/* Parallel edges are merged first (OR: one; MAX: the largest; SUM: the sum). Self-loops stay. */
CRU_API cru_csr cru_graph_symmetrise(cru_pool pool, const cru_csr *g, cru_symmetry rule);

/* Same pattern and same values in both directions. */
CRU_API bool cru_graph_is_symmetric(const cru_csr *g);

typedef enum cru_loops {
    CRU_LOOPS_KEEP,   /* nothing changes */
    CRU_LOOPS_ADD,    /* A + I: an existing loop grows by 1 */
    CRU_LOOPS_FILL,   /* a loop of weight 1 where there is none; an existing one keeps its weight */
    CRU_LOOPS_SET,    /* every diagonal entry becomes 1 */
    CRU_LOOPS_REMOVE, /* no diagonal entry remains */
} cru_loops;

/* Parallel edges, if any, are summed first. */
CRU_API cru_csr cru_graph_loops(cru_pool pool, const cru_csr *g, cru_loops rule);

/* Counted degrees, parallel edges and loops included; for weighted degrees see cru_csr_row_sums. */
CRU_API void cru_graph_in_degrees(const cru_csr *g, int64_t *degree);
CRU_API void cru_graph_out_degrees(const cru_csr *g, int64_t *degree);

/* The entries above the diagonal: every edge of an undirected graph once. */
CRU_API cru_csr cru_graph_upper(cru_pool pool, const cru_csr *g);

/* ---- normalisation --------------------------------------------------------------------------------------------- */

/* d_i = sum_j A_ij (row sums, weighted), c_j = sum_i A_ij (column sums). 1/0, 1/sqrt(0) and roots of negative sums
 * count as 0. */
typedef enum cru_norm {
    CRU_NORM_SYM,    /* A_ij / (sqrt d_i sqrt d_j): row sums on both sides, also when A is not symmetric */
    CRU_NORM_IN_OUT, /* A_ij / (sqrt d_i sqrt c_j): in-degree of the receiver, out-degree of the sender */
    CRU_NORM_ROW,    /* A_ij / d_i: the mean over in-neighbours, the random walk */
    CRU_NORM_COL,    /* A_ij / c_j */
    CRU_NORM_NONE,   /* A_ij */
} cru_norm;

/* Shares offsets and ids with g. */
CRU_API cru_csr cru_graph_normalise(cru_pool pool, const cru_csr *g, cru_norm norm);

/* The propagation matrix of a graph convolution: parallel edges summed, loops by the rule, then CRU_NORM_SYM. With
 * CRU_LOOPS_ADD this is D^-1/2 (A + I) D^-1/2; layers defined on edge lists use CRU_LOOPS_FILL. */
CRU_API cru_csr cru_graph_gcn(cru_pool pool, const cru_csr *g, cru_loops loops);

/* A / (degree + 1), where the degree counts the entries of a row: the neighbours' part of a mean that counts the node
 * itself, too. Shares offsets and ids with g. */
CRU_API cru_csr cru_graph_mean_with_self(cru_pool pool, const cru_csr *g);

/* ---- parts and unions ------------------------------------------------------------------------------------------ */

/* Part of a graph under new numbers: node i of `graph` is node nodes[i] of the original. */
typedef struct cru_subgraph {
    cru_csr graph;
    cru_ids nodes;
} cru_subgraph;

/* The edges among `ids` (distinct); new numbers follow the order given. */
CRU_API cru_subgraph cru_graph_induced(cru_pool pool, const cru_csr *g, cru_ids ids);

/* The graph with more edges and, when edges->rows > g->rows, more nodes. edges is square. */
CRU_API cru_csr cru_graph_append(cru_pool pool, const cru_csr *g, const cru_coo *edges, cru_duplicates rule);

/* Block-diagonal union of graphs: graph i owns the nodes offsets[i] .. offsets[i+1]-1. offsets: count + 1, written. */
CRU_API cru_csr cru_graph_batch(cru_pool pool, const cru_csr *graphs, int64_t count, int64_t *offsets);

/* The union of relations over the same nodes. */
CRU_API cru_csr cru_graph_merge(cru_pool pool, const cru_relation *relations, int64_t count, cru_duplicates rule);

#ifdef __cplusplus
}
#endif
#endif
