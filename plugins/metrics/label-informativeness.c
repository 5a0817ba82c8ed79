// SPDX-License-Identifier: Apache-2.0
/* label-informativeness: how much a neighbour's label tells of a node's own, as a share of what there is to know.
 *
 *     2 - sum_ab p_ab ln p_ab / sum_c p_c ln p_c      p_ab: share of the edges from class a to b, p_c: as received
 *
 * The study puts 1e-8 in the place of 0. Not defined without edges, or with a single class.
 *
 * Platonov, Kuznedelev, Babenko, Prokhorenkova. Characterizing Graph Datasets for Node Classification. NeurIPS 2023. */
#include <math.h>

#include "class-mixing.h"

static double label_informativeness(const class_mixing *m)
{
    double joint = 0, single = 0;
    if (m->classes < 2) return NAN;
    for (int32_t a = 0; a < m->classes; a++) {
        const double share = class_mixing_share(m, a);
        single += share * log(share);
        for (int32_t b = 0; b < m->classes; b++) {
            const int64_t count = m->pairs[(int64_t)a * m->classes + b];
            const double p = count ? (double)count / (double)m->edges : 1e-8;
            joint += p * log(p);
        }
    }
    return single != 0 ? 2 - joint / single : NAN;
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_mixing_score(j, label_informativeness, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET, .score = score),
    .name = "label-informativeness",
    .version = "1.0",
    .summary = "share of a node's label that a neighbour's label tells",
    .citation = "Platonov, Kuznedelev, Babenko, Prokhorenkova. Characterizing Graph Datasets for Node Classification: "
                "Homophily-Heterophily Dichotomy and Beyond. NeurIPS 2023.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
