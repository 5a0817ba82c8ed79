// SPDX-License-Identifier: Apache-2.0
/* node-homophily: mean over the nodes of the share of their neighbours that are of their class.
 *
 *     mean_v #{u in N(v) : y_u = y_v} / |N(v)|      without self-loops and unlabelled ends
 *
 * A node without neighbours is left out, or counts as 0 (isolated = zero).
 *
 * Pei, Wei, Chang, Lei, Yang. Geom-GCN: Geometric Graph Convolutional Networks. ICLR 2020. */
#include <math.h>
#include <stdlib.h>

#include "neighbours.h"

typedef struct settings {
    int64_t isolated;
} settings;

static const char *const isolated[] = {"skip", "zero", NULL};

static const cru_param schema[] = {
    CRU_CHOICE(settings, isolated, 0, isolated, "nodes without neighbours"),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    const cru_data *data = j->data;
    neighbour_count *count = neighbours_by_class(data, j->err);
    double sum = 0;
    int64_t nodes = 0;
    if (!count) return CRU_NO_MEMORY;
    for (int64_t v = 0; v < data->nodes; v++) {
        if (data->truth[v] == CRU_UNLABELLED || (count[v].all == 0 && !s->isolated)) continue;
        sum += count[v].all ? (double)count[v].same / (double)count[v].all : 0;
        nodes++;
    }
    free(count);
    *value = nodes ? sum / (double)nodes : NAN;
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "node-homophily",
    .version = "1.0",
    .summary = "mean share of a node's neighbours that are of its class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
