// SPDX-License-Identifier: Apache-2.0
/* draft/paths.h: distances and components by breadth-first search, and depth-first search. Continues paths.h.
 *
 * A search walks along rows: from v to the nodes that its row lists. On a directed graph that is against the edges; to
 * follow them pass the transpose. Distances count hops; -1 is unreachable. */
#ifndef CRUCIBLE_DRAFT_PATHS_H
#define CRUCIBLE_DRAFT_PATHS_H

#include <crucible/paths.h>

#ifdef __cplusplus
extern "C" {
#endif

/* hops[v] = distance from the nearest source. `parent`, when not NULL, receives the smallest-numbered neighbour that is
 * one hop closer in the tree of the search (for v reached over row u: u), -1 for sources and unreachable nodes. */
CRU_API void cru_graph_hops(const cru_csr *g, cru_ids sources, int32_t *hops, int32_t *parent);

/* One row of distances per source, in parallel: sources.count x g->rows. */
CRU_API void cru_graph_distances(const cru_csr *g, cru_ids sources, int32_t *hops);

/* Weakly connected components, numbered in the order of their smallest node; returns how many. */
CRU_API int32_t cru_graph_components(const cru_csr *g, int32_t *component);

/* The longest shortest path in the largest component of an undirected graph; 0 for a single node or an empty graph.
 * Exact, by bounds on eccentricities: few searches on real graphs. */
CRU_API int32_t cru_graph_diameter(const cru_csr *g);

/* Depth first from `start`, along each row from its last entry to its first: marks the nodes that it enters in taken[],
 * at most `most` of them. Nodes that are marked already, `start` too, are not entered. */
CRU_API void cru_graph_depth_first(const cru_csr *g, int32_t start, int64_t most, uint8_t *taken);

#ifdef __cplusplus
}
#endif
#endif
