// SPDX-License-Identifier: Apache-2.0
/* adjusted-homophily: edge homophily beyond what the class sizes alone would give.
 *
 *     (h_edge - sum_c p_c^2) / (1 - sum_c p_c^2)      p_c: share of the in-degrees that class c has
 *
 * Negative when edges avoid their own class. Not defined without edges.
 *
 * Platonov, Kuznedelev, Babenko, Prokhorenkova. Characterizing Graph Datasets for Node Classification. NeurIPS 2023. */
#include "class-mixing.h"

static double adjusted_homophily(const class_mixing *m)
{
    double same = 0, chance = 0;
    for (int32_t c = 0; c < m->classes; c++) {
        const double share = class_mixing_share(m, c);
        same += (double)m->pairs[(int64_t)c * m->classes + c];
        chance += share * share;
    }
    return (same / (double)m->edges - chance) / (1 - chance);
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_mixing_score(j, adjusted_homophily, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    .name = "adjusted-homophily",
    .version = "1.0",
    .summary = "edge homophily beyond what class sizes alone would give",
    .citation = "Platonov, Kuznedelev, Babenko, Prokhorenkova. Characterizing Graph Datasets for Node Classification: "
                "Homophily-Heterophily Dichotomy and Beyond. NeurIPS 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
