// SPDX-License-Identifier: Apache-2.0
/* graph-of-graphs.h: graphs as the nodes of a graph that links each to those most like it. */
#ifndef IGL_GRAPH_OF_GRAPHS_H
#define IGL_GRAPH_OF_GRAPHS_H

#include <crucible/crucible.h>
#include <crucible/draft/graph-kernels.h>

/* For each of `count` graphs the `k` with the largest normalised shortest-path kernel, the first of equals, without the
 * very largest, which is normally the graph itself: count x (k - 1) in the pool; k is at most count. labels: of the
 * nodes, or NULL. */
int32_t *gog_neighbours(cru_pool pool, cru_blocks graphs, int64_t count, const int32_t *labels, int64_t k);

/* P_uv = (number of edges (u, v)) / deg(v), where every node has one edge to itself besides those given and deg counts
 * parallel edges: columns sum to 1. */
cru_csr gog_matrix(cru_pool pool, const cru_coo *edges);

#endif
