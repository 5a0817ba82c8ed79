// SPDX-License-Identifier: Apache-2.0
#include "struct-memory.h"

#include <math.h>
#include <stdio.h>

#include <crucible/draft/cluster.h>
#include <crucible/draft/graph-kernels.h>
#include <crucible/knn.h>

enum { NEAREST = 10 };

leaky_mlp leaky_mlp_create(cru_net *net, const char *name, int64_t in, int64_t hidden, int64_t out)
{
    char first[32], second[32];
    snprintf(first, sizeof first, "%s.in", name);
    snprintf(second, sizeof second, "%s.out", name);
    return (leaky_mlp){.in = cru_fc_create(net, first, in, hidden), .out = cru_fc_create(net, second, hidden, out)};
}

cru_tensor *leaky_mlp_after_first(cru_tape *t, const leaky_mlp *mlp, cru_tensor *h)
{
    return cru_fc_apply(t, &mlp->out, cru_leaky_relu(t, h, 0.1));
}

cru_tensor *memory_recall(cru_tape *t, cru_tensor *memory, cru_tensor *x, double default_share)
{
    const int64_t templates = cru_tensor_cols(memory);
    cru_tensor *own = cru_sigmoid(t, cru_matmul(t, x, cru_slice_cols(t, memory, 0, templates - 1)));
    cru_tensor *parts[2] = {own, cru_tensor_filled(t, cru_2d(cru_tensor_rows(x), 1), default_share)};
    return cru_matmul_op(t, cru_softmax(t, cru_concat_cols(t, parts, 2), 1), memory, CRU_NT);
}

cru_tensor *graph_weights(cru_tape *t, cru_tensor *score)
{
    cru_tensor *w = cru_sigmoid(t, cru_reshape(t, score, cru_1d(cru_tensor_rows(score))));
    return cru_div(t, w, cru_mean(t, cru_detach(t, w), CRU_ALL));
}

cru_tensor *weighed_loss(cru_tape *t, cru_tensor *each, cru_tensor *weights, double lambda)
{
    cru_tensor *weighed = cru_mean(t, cru_mul(t, each, cru_detach(t, weights)), CRU_ALL);
    return cru_lerp(t, cru_mean(t, each, CRU_ALL), weighed, lambda);
}

/* (K + K^T) / 2 of the graph that links every point to itself and its nearest. */
static cru_csr nearest_affinity(cru_pool pool, const cru_dense *points)
{
    const int64_t k = points->rows < NEAREST ? points->rows : NEAREST;
    const cru_csr near = cru_knn_graph(pool, points, &(cru_knn_options){.k = k});
    const cru_csr links = cru_csr_pattern(&near), back = cru_csr_transpose(pool, &links, NULL);
    return cru_csr_add(pool, &links, 0.5, &back, 0.5);
}

/* One histogram of length 1 a graph. */
static cru_dense colour_shares(cru_pool pool, const cru_task *task, int32_t rounds)
{
    int32_t *colour = cru_one_hot_labels(pool, &task->x);
    const int32_t colours = cru_wl_refine(&task->graph, rounds, colour);
    const cru_csr counts = cru_colour_histograms(pool, colour, colours, task->graph_offsets, task->items);
    float *dense = cru_pool_alloc(pool, task->items * colours, sizeof *dense);
    cru_csr_to_dense(&counts, dense);
    for (int64_t g = 0; g < task->items; g++) {
        double square = 0;
        for (int64_t c = 0; c < colours; c++) square += pow((double)dense[g * colours + c], 2);
        for (int64_t c = 0; square > 0 && c < colours; c++) dense[g * colours + c] /= (float)sqrt(square);
    }
    return (cru_dense){task->items, colours, dense};
}

int32_t *structure_groups(cru_ctx *ctx, const cru_task *task, int32_t rounds, int32_t groups)
{
    const cru_pool pool = cru_ctx_pool(ctx);
    int32_t *group = cru_ctx_alloc(ctx, task->items, sizeof *group);
    if (groups > task->items) groups = (int32_t)task->items;
    if (groups < 2) return group;
    const cru_dense shares = colour_shares(pool, task, rounds);
    const cru_csr affinity = nearest_affinity(pool, &shares);
    cru_rng rng = cru_ctx_stream(ctx, "groups");
    cru_error err = {0};
    const cru_status status = cru_spectral_clusters(&affinity, groups, &rng, group, &err);
    if (status) cru_ctx_fail(ctx, status, "the groups of graphs: %s", err.text);
    return group;
}
