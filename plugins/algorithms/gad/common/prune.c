// SPDX-License-Identifier: Apache-2.0
#include "prune.h"

#include <stdlib.h>
#include <string.h>

typedef struct ranked {
    double key;
    int32_t source, target;
    int64_t entry;
} ranked;

static int by_key(const void *a_, const void *b_)
{
    const ranked *a = a_, *b = b_;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

cru_csr prune_edges(cru_ctx *ctx, const cru_csr *graph, const double *key, int64_t count)
{
    const int64_t edges = cru_csr_nnz(graph);
    ranked *order = cru_ctx_alloc(ctx, edges, sizeof *order);
    uint8_t *keep = cru_ctx_alloc(ctx, edges, 1);
    for (int64_t v = 0; v < graph->rows; v++)
        for (int64_t e = graph->offsets[v]; e < graph->offsets[v + 1]; e++)
            order[e] = (ranked){key[e], graph->ids[e], (int32_t)v, e};
    qsort(order, (size_t)edges, sizeof *order, by_key);
    memset(keep, 1, (size_t)edges);
    for (int64_t i = 0; i < count; i++) keep[order[i].entry] = 0;
    return cru_csr_select(cru_ctx_pool(ctx), graph, keep);
}
