// SPDX-License-Identifier: Apache-2.0
/* class-homophily: homophily of each class beyond its size, counted where positive.
 *
 *     1 / (C - 1) sum_k max(h_k - n_k / N, 0)      h_k: share of the edges from class k that stay in it
 *
 * A node without out-edges counts as one edge to itself, as in the study's code, unless isolated_selfloop = false. Not
 * defined for a single class.
 *
 * Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim. Large Scale Learning on Non-Homophilous Graphs. NeurIPS 2021. */
#include <math.h>
#include <stdlib.h>

#include "neighbours.h"

typedef struct settings {
    bool isolated_selfloop;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, isolated_selfloop, true, "count a node without edges as one edge to itself"),
    CRU_END,
};

typedef struct totals {
    int64_t nodes, edges, same;
} totals;

static double class_homophily(const totals *of, int32_t classes)
{
    int64_t nodes = 0;
    double sum = 0;
    for (int32_t c = 0; c < classes; c++) nodes += of[c].nodes;
    for (int32_t c = 0; c < classes; c++)
        if (of[c].edges) sum += fmax((double)of[c].same / (double)of[c].edges - (double)of[c].nodes / (double)nodes, 0);
    return nodes && classes > 1 ? sum / (classes - 1) : NAN;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    neighbour_count *count = neighbours_by_class(data, j->err);
    totals *of = calloc((size_t)data->classes, sizeof *of);
    const int64_t alone = ((const settings *)j->settings)->isolated_selfloop; /* edges of a node without any */
    if (!of) cru_fail(j->err, CRU_NO_MEMORY, "no memory for %d classes", data->classes);
    for (int64_t v = 0; count && of && v < data->nodes; v++) {
        if (data->truth[v] == CRU_UNLABELLED) continue;
        totals *own = &of[data->truth[v]];
        own->nodes++;
        own->edges += count[v].all ? count[v].all : alone;
        own->same += count[v].all ? count[v].same : alone;
    }
    const bool counted = count && of;
    if (counted) *value = class_homophily(of, data->classes);
    free(count);
    free(of);
    return counted ? CRU_OK : CRU_NO_MEMORY;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "class-homophily",
    .version = "1.0",
    .summary = "homophily of each class beyond its size, where positive",
    .citation = "Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim. Large Scale Learning on Non-Homophilous Graphs. NeurIPS "
                "2021.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
