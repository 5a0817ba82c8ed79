// SPDX-License-Identifier: Apache-2.0
#include "views.h"

#include <stdio.h>

const char *const view_distance_names[] = {"euclidean", "cosine", NULL};

encoder encoder_create(cru_net *net, int64_t in, int64_t hidden, int64_t layers)
{
    encoder e = {.layers = layers, .act = CRU_UNARY_RELU};
    for (int64_t i = 0; i < layers; i++, in = hidden) {
        char name[32];
        snprintf(name, sizeof name, "conv%lld", (long long)i);
        e.conv[i] = cru_gcn_create(net, name, in, hidden);
    }
    return e;
}

cru_tensor *encoder_apply(cru_tape *t, const encoder *e, cru_sparse *adj, const cru_input *x)
{
    cru_input h = *x;
    for (int64_t i = 0; i < e->layers; i++) {
        if (i) h = cru_input_of(cru_dropout(t, h.dense, e->dropout));
        h = cru_input_of(cru_activate(t, e->act, cru_gcn_input(t, &e->conv[i], adj, &h)));
    }
    return h.dense;
}

cru_csr nearest_graph(cru_learner *l, int64_t k, int64_t distance)
{
    const int64_t n = l->task->nodes;
    int32_t *all = cru_ctx_alloc(l->ctx, n, sizeof *all);
    for (int64_t v = 0; v < n; v++) all[v] = (int32_t)v;
    const cru_knn_options options = {.k = k, .distance = (cru_distance)distance, .ties = CRU_TIES_HEAP};
    cru_csr near = cru_knn_among(cru_ctx_pool(l->ctx), &l->task->x, (cru_ids){all, n}, &options);
    return cru_csr_pattern(&near);
}

cru_sparse *view_create(cru_ctx *ctx, const cru_csr *graph)
{
    return cru_adjacency_create(ctx, graph, &(cru_adjacency){CRU_LOOPS_KEEP, CRU_NORM_IN_OUT});
}
