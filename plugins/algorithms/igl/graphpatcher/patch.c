// SPDX-License-Identifier: Apache-2.0
#include "patch.h"

#include <string.h>

egos egos_create(cru_tape *t, const cru_csr *g, cru_tensor *x, cru_ids anchors, double drop, cru_rng *rng)
{
    egos e = {.anchors = anchors};
    int64_t *offsets = cru_tape_alloc(t, anchors.count + 1, sizeof *offsets), most = 0;
    for (int64_t i = 0; i < anchors.count; i++) most += g->offsets[anchors.ids[i] + 1] - g->offsets[anchors.ids[i]];
    int32_t *ids = cru_tape_alloc(t, most, sizeof *ids);
    float *degree = cru_tape_alloc(t, anchors.count, sizeof *degree);
    offsets[0] = 0;
    for (int64_t i = 0; i < anchors.count; i++) {
        int64_t count = offsets[i];
        for (int64_t k = g->offsets[anchors.ids[i]]; k < g->offsets[anchors.ids[i] + 1]; k++)
            if (!(drop > 0) || cru_rng_uniform(rng) >= drop) ids[count++] = g->ids[k];
        offsets[i + 1] = count;
        degree[i] = (float)(1 + count - offsets[i]);
    }
    e.kept = cru_sparse_step(t, &(cru_csr){.rows = anchors.count, .cols = g->rows, .offsets = offsets, .ids = ids});
    e.degree = cru_tensor_upload(t, cru_2d(anchors.count, 1), degree);
    e.own = cru_gather(t, x, cru_index_step(t, anchors.ids, anchors.count));
    e.sum = cru_add(t, e.own, cru_spmm(t, e.kept, x));
    return e;
}

cru_ids egos_neighbours(cru_tape *t, const cru_csr *g, cru_ids nodes)
{
    uint8_t *taken = cru_tape_alloc(t, g->rows, 1);
    int32_t *ids = cru_tape_alloc(t, g->rows, sizeof *ids);
    int64_t count = 0;
    memset(taken, 0, (size_t)g->rows);
    for (int64_t i = 0; i < nodes.count; i++)
        for (int64_t e = g->offsets[nodes.ids[i]]; e < g->offsets[nodes.ids[i] + 1]; e++) taken[g->ids[e]] = 1;
    for (int32_t v = 0; v < g->rows; v++)
        if (taken[v]) ids[count++] = v;
    return (cru_ids){ids, count};
}

egos egos_patch(cru_tape *t, const egos *e, cru_tensor *feature)
{
    egos more = *e;
    more.patch = e->patch ? cru_add(t, e->patch, feature) : feature;
    more.patches++;
    return more;
}

static cru_tensor *mean(cru_tape *t, const egos *e, cru_tensor *sum)
{
    return cru_div(t, sum, cru_affine(t, e->degree, 1, (double)e->patches));
}

cru_tensor *egos_first(cru_tape *t, const egos *e, const cru_fc *w, double dropout)
{
    cru_tensor *sum = e->patch ? cru_add(t, e->sum, e->patch) : e->sum;
    return cru_dropout(t, cru_relu(t, cru_fc_apply(t, w, mean(t, e, sum))), dropout);
}

cru_tensor *egos_second(cru_tape *t, const egos *e, cru_tensor *hv, cru_tensor *sum, cru_tensor *empty, const cru_fc *w)
{
    cru_tensor *all = cru_add(t, hv, sum);
    if (e->patches) all = cru_add(t, all, cru_scale(t, empty, (double)e->patches));
    return cru_fc_apply(t, w, cru_represent(t, mean(t, e, all)));
}

patch_generator patch_generator_create(cru_net *net, int64_t features, int64_t width, double dropout)
{
    const cru_mlp_shape shape = {.in = width + features,
                                 .hidden = width,
                                 .out = features,
                                 .layers = 3,
                                 .draw = CRU_DRAW_GLOROT,
                                 .dropout = dropout};
    return (patch_generator){cru_fc_create_drawn(net, "conv0", features, width, CRU_DRAW_GLOROT, true),
                             cru_fc_create_drawn(net, "conv1", width, width, CRU_DRAW_GLOROT, true),
                             cru_mlp_create(net, "out", &shape), dropout};
}

cru_tensor *patch_near(cru_tape *t, const patch_generator *g, const cru_csr *graph, cru_tensor *spread, cru_ids of)
{
    const cru_ids ids = egos_neighbours(t, graph, of);
    const cru_index rows = cru_index_step(t, ids.ids, ids.count);
    cru_tensor *h = cru_relu(t, cru_fc_apply(t, &g->first, cru_gather(t, spread, rows)));
    return cru_scatter(t, cru_dropout(t, h, g->dropout), rows, graph->rows, CRU_REDUCE_SUM);
}

cru_tensor *patch_generate(cru_tape *t, const patch_generator *g, const egos *e, cru_tensor *near)
{
    cru_tensor *empty = cru_relu(t, cru_as_matrix(t, g->first.b, 1, -1));
    cru_tensor *own = egos_first(t, e, &g->first, g->dropout), *others = cru_spmm(t, e->kept, near);
    cru_tensor *z = cru_relu(t, egos_second(t, e, own, others, empty, &g->second));
    return cru_mlp_apply(t, &g->out, cru_concat_cols(t, (cru_tensor *[]){z, e->own}, 2));
}

/* (anchors * samples) x classes to (anchors * classes) x samples */
static cru_tensor *samples_last(cru_tape *t, cru_tensor *x, int64_t samples)
{
    static const int32_t order[4] = {0, 2, 1, 3};
    const int64_t classes = cru_tensor_cols(x), anchors = cru_tensor_rows(x) / samples;
    cru_tensor *turned = cru_permute(t, cru_reshape(t, x, cru_3d(anchors, samples, classes)), order);
    return cru_as_matrix(t, turned, anchors * classes, samples);
}

cru_tensor *patch_loss(cru_tape *t, cru_tensor *target, cru_tensor *z, int64_t samples, bool by_samples)
{
    const int64_t anchors = cru_tensor_rows(z);
    int32_t *rows = cru_tape_alloc(t, anchors * samples, sizeof *rows);
    for (int64_t i = 0; i < anchors * samples; i++) rows[i] = (int32_t)(i / samples);
    cru_tensor *spread = samples > 1 ? cru_gather(t, z, cru_index_step(t, rows, anchors * samples)) : z;
    if (by_samples) target = samples_last(t, target, samples), spread = samples_last(t, spread, samples);
    cru_tensor *p = cru_softmax(t, target, 1), *log_q = cru_log_softmax(t, spread, 1);
    return cru_scale(t, cru_sum(t, cru_kl_each(t, p, log_q), CRU_ALL), 1 / (double)anchors);
}
