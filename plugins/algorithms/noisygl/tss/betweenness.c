// SPDX-License-Identifier: Apache-2.0
/* How much a node lies between the classes. */
#include "betweenness.h"

#include <math.h>

#include <crucible/draft/diffusion.h>

/* b_c without its division by |I_c|; p: known nodes x n, ids: where their own columns are */
static int64_t between(const labelled_nodes *known, int32_t c, const float *p, int64_t n, double *b)
{
    int64_t members = 0;
    for (int64_t i = 0; i < n; i++) b[i] = 0;
    for (int64_t u = 0; u < known->nodes.count; u++) {
        if (known->labels[u] != c) continue;
        members++;
        for (int64_t v = 0; v < known->nodes.count; v++) {
            if (known->labels[v] == c) continue;
            const double weight = 1 / ((double)p[u * n + known->nodes.ids[v]] + 1e-16);
            for (int64_t i = 0; i < n; i++) b[i] += weight * (double)p[u * n + i] * (double)p[v * n + i];
        }
    }
    return members;
}

void class_betweenness(cru_ctx *ctx, const cru_csr *s, const labelled_nodes *known, double restart, double *score)
{
    const int64_t n = s->rows;
    float *p = cru_ctx_alloc(ctx, known->nodes.count * n, sizeof *p);
    double *b = cru_ctx_alloc(ctx, n, sizeof *b);
    cru_ppr_rows(s, known->nodes, &(cru_ppr_options){.restart = restart}, p);
    for (int64_t i = 0; i < n; i++) score[i] = 0;
    for (int32_t c = 0; c < known->classes; c++) {
        if (!between(known, c, p, n, b)) continue;
        double least = INFINITY, most = -INFINITY;
        for (int64_t i = 0; i < n; i++) least = fmin(least, b[i]), most = fmax(most, b[i]);
        if (!(most > least)) continue;
        for (int64_t i = 0; i < n; i++) score[i] += b[i] / (most - least); /* |I_c| cancels */
    }
    for (int64_t i = 0; i < n; i++)
        if (score[i] == 0) score[i] = INFINITY;
}
