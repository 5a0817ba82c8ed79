// SPDX-License-Identifier: Apache-2.0
/* edge-homophily: share of the edges that join nodes of one class.
 *
 *     #{(u, v) : y_u = y_v} / #edges      without self-loops and unlabelled ends
 *
 * Zhu, Yan, Zhao, Heimann, Akoglu, Koutra. Beyond Homophily in Graph Neural Networks. NeurIPS 2020. */
#include "class-mixing.h"

static double edge_homophily(const class_mixing *m)
{
    int64_t same = 0;
    for (int32_t c = 0; c < m->classes; c++) same += m->pairs[(int64_t)c * m->classes + c];
    return (double)same / (double)m->edges;
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_mixing_score(j, edge_homophily, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    .name = "edge-homophily",
    .version = "1.0",
    .summary = "share of the edges that join nodes of one class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
