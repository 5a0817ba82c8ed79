// SPDX-License-Identifier: Apache-2.0
/* How hard a training node is to learn. */
#include "difficulty.h"

#include <math.h>

static double mixed_labels(const nodes_seen *n, int32_t u, double *count)
{
    const cru_csr *g = n->graph;
    const double total = (double)(g->offsets[u + 1] - g->offsets[u] + 1);
    double sum = 0;
    for (int32_t c = 0; c < n->classes; c++) count[c] = 0;
    count[n->labels[u]] = 1;
    for (int64_t e = g->offsets[u]; e < g->offsets[u + 1]; e++) count[n->labels[g->ids[e]]]++;
    for (int32_t c = 0; c < n->classes; c++) sum -= count[c] / total * log(count[c] / total + exp(-20));
    return sum;
}

static void to_unit_length(double *x, int64_t width)
{
    double square = 0;
    for (int64_t k = 0; k < width; k++) square += x[k] * x[k];
    const double length = fmax(sqrt(square), 1e-12);
    for (int64_t k = 0; k < width; k++) x[k] /= length;
}

static double product(const double *a, const double *b, int64_t width)
{
    double sum = 0;
    for (int64_t k = 0; k < width; k++) sum += a[k] * b[k];
    return sum;
}

/* sim of the training nodes; f: nodes x width, m: classes x width, of unit length */
static void similarities(const nodes_seen *n, cru_ids train, const double *f, const double *m, double *sim)
{
    const int64_t nodes = n->graph->rows, w = n->width;
    int64_t occur = 0;
    for (int32_t c = 0; c < n->classes; c++) {
        int64_t v = 0;
        while (v < nodes && n->labels[v] != c) v++;
        occur += v < nodes;
    }
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t u = train.ids[i];
        double all = 0;
        for (int32_t c = 0; c < n->classes; c++) all += product(f + u * w, m + c * w, w);
        sim[i] = (double)occur * product(f + u * w, m + n->labels[u] * w, w) / all;
    }
}

void difficulty(cru_ctx *ctx, const nodes_seen *n, cru_ids train, double *local, double *global)
{
    const int64_t nodes = n->graph->rows, w = n->width;
    double *f = cru_ctx_alloc(ctx, nodes * w, sizeof *f), *m = cru_ctx_alloc(ctx, n->classes * w, sizeof *m);
    double *near = cru_ctx_alloc(ctx, n->classes, sizeof *near), *sum = cru_ctx_alloc(ctx, n->classes, sizeof *sum);
    int64_t *count = cru_ctx_alloc(ctx, n->classes, sizeof *count);
    for (int64_t v = 0; v < nodes; v++) {
        for (int64_t k = 0; k < w; k++) f[v * w + k] = exp((double)n->embedding[v * w + k]);
        to_unit_length(f + v * w, w);
        for (int64_t k = 0; k < w; k++) m[n->labels[v] * w + k] += f[v * w + k];
    }
    for (int32_t c = 0; c < n->classes; c++) to_unit_length(m + c * w, w);
    similarities(n, train, f, m, global);
    for (int64_t i = 0; i < train.count; i++) {
        sum[n->labels[train.ids[i]]] += global[i];
        count[n->labels[train.ids[i]]]++;
    }
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t label = n->labels[train.ids[i]];
        const double ratio = global[i] / (sum[label] / (double)count[label]);
        global[i] = ratio > 0.95 ? 1 : 1 / ratio;
        local[i] = mixed_labels(n, train.ids[i], near);
    }
}

cru_tensor *raw_score_loss(cru_tape *t, cru_tensor *scores, cru_index labels)
{
    return cru_neg(t, cru_mean(t, cru_pick(t, scores, labels), CRU_ALL));
}
