// SPDX-License-Identifier: Apache-2.0
/* curvature.h: Ollivier-Ricci curvature. What is made of it is in draft/curvature.h.
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

#ifdef __cplusplus
}
#endif
#endif
