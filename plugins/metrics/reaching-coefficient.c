// SPDX-License-Identifier: Apache-2.0
/* reaching-coefficient: how near training nodes are to the other nodes of their class.
 *
 *     RC = mean over v not in train of mean over u in train with y_u = y_v of 1 - log d(v, u) / log D
 *
 * d: hops on the undirected graph, D: diameter of its largest component. Pairs that cannot reach each other count as
 * adjacent (near) or as D apart (far). NAN without a split.
 *
 * Sun, Yuan, Fu, Li, Peng, Wang, Ji, Yu. Position-aware Structure Learning for Graph Topology-imbalance by Relieving
 * Under-reaching and Over-squashing. CIKM 2022. */
#include <math.h>

#include <crucible/curvature.h>
#include <crucible/draft/curvature.h>

#include "described.h"

typedef struct settings {
    int64_t unreachable;
} settings;

static const char *const unreachables[] = {"near", "far", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, unreachable, 0, unreachables, "pairs without a path count as adjacent or as far as can be"),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    const cru_data *data = j->data;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for the undirected graph");
    const cru_csr g = described_graph(cru_arena_pool(scratch), data);
    const cru_placement place = {&g, data->truth, data->split.train};
    *value = place.labelled.count ? cru_reaching_coefficient(&place, s->unreachable ? 0 : 1) : NAN;
    cru_arena_destroy(scratch);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "reaching-coefficient",
    .version = "1.0",
    .summary = "how near training nodes are to the other nodes of their class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
