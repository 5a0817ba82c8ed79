// SPDX-License-Identifier: Apache-2.0
/* curvature.h: Ollivier-Ricci curvature, and how well labelled nodes reach the others.
 *
 * Around x the measure mu_x keeps `alpha` on x and spreads 1 - alpha evenly over its neighbours; a node without
 * neighbours keeps everything. The curvature of an edge is
 *     Ric(x, y) = 1 - W1(mu_x, mu_y)
 * with the hop distance as ground cost, solved exactly. On a directed edge x -> y the mass of x lies on its
 * predecessors, that of y on its successors, and distances follow the edges. */
#ifndef CRUCIBLE_CURVATURE_H
#define CRUCIBLE_CURVATURE_H

#include <crucible/graph.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One value per stored entry of g (0 for self-loops, which take no part). Rows must strictly ascend. */
CRU_API void cru_graph_ricci(const cru_csr *g, double alpha, float *curvature);

/* An undirected graph with classes of all nodes and the labelled (training) ones. */
typedef struct cru_placement {
    const cru_csr *graph;
    const int32_t *classes; /* of every node */
    cru_ids labelled;
} cru_placement;

/* Mean over unlabelled v of the mean over labelled u of the class of v of 1 - log d(v, u) / log D, D the diameter of
 * the largest component. Pairs that cannot reach each other count as `unreachable`: 1 as if adjacent, 0 as if D
 * apart. NAN when no pair exists. */
CRU_API double cru_reaching_coefficient(const cru_placement *placement, double unreachable);

/* Mean over unlabelled v of the mean over reachable labelled u of the class of v of the mean curvature along one
 * shortest path from u to v (parents of smallest number); 0 for nodes that reach none. curvature: per entry of the
 * graph. */
CRU_API double cru_squashing_coefficient(const cru_placement *placement, const float *curvature);

/* Several placements on one graph. */
typedef struct cru_placements {
    const cru_csr *graph;
    const int32_t *classes;
    const cru_ids *labelled; /* count sets */
    int64_t count;
} cru_placements;

typedef struct cru_reach {
    double reaching, squashing;
} cru_reach;

/* Both coefficients of every placement, for one search from every node that any of them labels: a hundred random
 * placements cost a few times as much as one. Takes 21 bytes a node and placement. Without curvature (NULL) the
 * squashing coefficients are NAN. */
CRU_API void cru_placements_measure(const cru_placements *placements, const float *curvature, double unreachable,
                                    cru_reach *out);

#ifdef __cplusplus
}
#endif
#endif
