// SPDX-License-Identifier: Apache-2.0
#include "translation.h"

#include <stdio.h>

tail_view tail_view_create(cru_learner *l, const cru_csr *g)
{
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr mean = cru_graph_normalise(pool, g, CRU_NORM_ROW), around = cru_graph_loops(pool, g, CRU_LOOPS_SET);
    float *head = cru_ctx_alloc(l->ctx, g->rows, sizeof *head), *tail = cru_ctx_alloc(l->ctx, g->rows, sizeof *tail);
    for (int64_t v = 0; v < g->rows; v++) {
        head[v] = 1 / (float)(g->offsets[v + 1] - g->offsets[v] + 1);
        tail[v] = 1 / (float)(g->offsets[v + 1] - g->offsets[v] + 2);
    }
    tail_view view = {.mean = cru_sparse_create(l->ctx, &mean),
                      .around = cru_sparse_create(l->ctx, &around),
                      .head_share = cru_tensor_from(l->ctx, cru_2d(g->rows, 1), head),
                      .tail_share = cru_tensor_from(l->ctx, cru_2d(g->rows, 1), tail)};
    if (l->x.dense) {
        cru_tape_begin(l->tape, CRU_EVAL);
        view.near = cru_input_of(cru_tensor_kept(l->tape, cru_spmm(l->tape, view.mean, l->x.dense)));
    } else {
        const cru_csr near = cru_csr_product(pool, &mean, &l->x.sparse->csr);
        view.near = (cru_input){.rows = l->x.rows, .cols = l->x.cols, .sparse = cru_sparse_create(l->ctx, &near)};
    }
    return view;
}

tail_layer tail_layer_create(cru_net *net, const char *name, int64_t in, int64_t out)
{
    static const char *const parts[] = {"g1", "g2", "b1", "b2", "r", "w", "b"};
    char full[7][64];
    for (int i = 0; i < 7; i++) snprintf(full[i], sizeof full[i], "%s.%s", name, parts[i]);
    return (tail_layer){
        .g1 = cru_fc_create_drawn(net, full[0], in, in, CRU_DRAW_FAN_IN, false),
        .g2 = cru_fc_create_drawn(net, full[1], in, in, CRU_DRAW_FAN_IN, false),
        .b1 = cru_fc_create_drawn(net, full[2], in, in, CRU_DRAW_FAN_IN, false),
        .b2 = cru_fc_create_drawn(net, full[3], in, in, CRU_DRAW_FAN_IN, false),
        .r = cru_net_weight(net, full[4], cru_2d(1, in), (cru_init){.kind = CRU_INIT_FAN_IN, .fan_in = in}),
        .w = cru_net_weight(net, full[5], cru_2d(in, out), (cru_init){.kind = CRU_INIT_FAN_OUT}),
        .b = cru_net_weight(net, full[6], cru_1d(out), (cru_init){.kind = CRU_INIT_FAN_IN, .fan_in = out}),
    };
}

static cru_tensor *both(cru_tape *t, const cru_fc *of_x, const cru_input *x, const cru_fc *of_near,
                        const cru_input *near)
{
    cru_tensor *own = cru_fc_input(t, of_x, x), *others = cru_fc_input(t, of_near, near);
    return cru_leaky_relu(t, cru_add(t, own, others), 0.2);
}

cru_tensor *tail_layer_missing(cru_tape *t, const tail_layer *y, const cru_input *x, const cru_input *near)
{
    cru_tensor *gamma = cru_affine(t, both(t, &y->g1, x, &y->g2, near), 1, 1);
    cru_tensor *shifted = cru_add(t, cru_mul(t, gamma, y->r), both(t, &y->b1, x, &y->b2, near));
    cru_tensor *own = cru_input_dense(t, x), *others = cru_input_dense(t, near);
    return cru_sub(t, cru_add(t, own, shifted), others);
}

cru_tensor *tail_layer_apply(cru_tape *t, const tail_layer *y, const tail_view *view, const cru_input *x,
                             cru_tensor *missing)
{
    cru_tensor *sum = cru_spmm(t, view->around, cru_input_linear(t, x, y->w, NULL));
    if (!missing) return cru_add(t, cru_mul(t, sum, view->head_share), y->b);
    cru_tensor *full = cru_add(t, sum, cru_linear(t, missing, y->w, y->b));
    return cru_mul(t, full, view->tail_share);
}
