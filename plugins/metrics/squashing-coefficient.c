// SPDX-License-Identifier: Apache-2.0
/* squashing-coefficient: how wide the paths are from training nodes to the other nodes of their class.
 *
 *     SC = mean over v not in train of mean over u in train with y_u = y_v, reachable,
 *          of the mean Ollivier-Ricci curvature (alpha = 0.5) of the edges on one shortest path from u to v
 *
 * on the undirected graph; 0 for nodes that reach none. NAN without a split. Curvature costs a transport problem an
 * edge: seconds for citation graphs, minutes from a hundred thousand dense edges on.
 *
 * Sun, Yuan, Fu, Li, Peng, Wang, Ji, Yu. Position-aware Structure Learning for Graph Topology-imbalance by Relieving
 * Under-reaching and Over-squashing. CIKM 2022. */
#include <math.h>

#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>

#include "described.h"

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    *value = NAN;
    if (!data->split.train.count) return CRU_OK;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for curvatures");
    const cru_csr g = described_graph(cru_arena_pool(scratch), data);
    float *curvature = cru_arena_alloc(scratch, cru_csr_nnz(&g), sizeof *curvature);
    cru_graph_ricci(&g, 0.5, curvature);
    *value = cru_squashing_coefficient(&(cru_placement){&g, data->truth, data->split.train}, curvature);
    cru_arena_destroy(scratch);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    .name = "squashing-coefficient",
    .version = "1.0",
    .summary = "how wide the paths are from training nodes to the other nodes of their class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
