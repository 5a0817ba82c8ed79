// SPDX-License-Identifier: Apache-2.0
#include "study/taxonomy.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/status.h>

#include "report/table/stats.h"

const char *taxonomy_name(taxonomy_kind kind)
{
    static const char *const names[] = {[TAXONOMY_UNKNOWN] = "unknown",
                                        [TAXONOMY_HOMOPHILIC] = "homophilic",
                                        [TAXONOMY_MALIGNANT] = "malignant",
                                        [TAXONOMY_BENIGN] = "benign",
                                        [TAXONOMY_AMBIGUOUS] = "ambiguous"};
    return names[kind];
}

static taxonomy_kind kind_of(double homophily, const double gain[2])
{
    if (isnan(homophily) || isnan(gain[0]) || isnan(gain[1])) return TAXONOMY_UNKNOWN;
    if (homophily > TAXONOMY_CUT) return TAXONOMY_HOMOPHILIC;
    if (gain[0] < 0 && gain[1] < 0) return TAXONOMY_MALIGNANT;
    return gain[0] > 0 && gain[1] > 0 ? TAXONOMY_BENIGN : TAXONOMY_AMBIGUOUS;
}

taxonomy taxonomy_judge(const taxonomy_scores *s)
{
    taxonomy t = {0};
    double *differences = malloc((size_t)s->runs * sizeof *differences + 1);
    if (!differences) cru_panic(CRU_NO_MEMORY, "no memory for %lld runs", (long long)s->runs);
    for (int k = 0; k < 2; k++) {
        for (int64_t i = 0; i < s->runs; i++) differences[i] = s->aware[k][i] - s->agnostic[k][i];
        t.gain[k] = stats_mean(differences, s->runs);
        t.p[k] = isnan(t.gain[k]) ? NAN : stats_wilcoxon(differences, s->runs);
    }
    free(differences);
    stats_holm(t.p, 2);
    const bool known = !isnan(s->edge_homophily) && !isnan(s->node_homophily);
    t.kind = kind_of(known ? fmin(s->edge_homophily, s->node_homophily) : NAN, t.gain);
    return t;
}
