// SPDX-License-Identifier: Apache-2.0
#include "blocks.h"

#include <stdio.h>

const cru_param blocks_schema[] = {
    CRU_INT(blocks_settings, layers, 2, 1, CRU_MAX_LAYERS, "blocks", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_INT(blocks_settings, hidden, 32, 1, 65536, "width, a multiple of heads", .search = CRU_ONE_OF(16, 32)),
    CRU_INT(blocks_settings, heads, 4, 1, 1024, "attention heads", .search = CRU_ONE_OF(1, 2, 4, 8)),
    CRU_FLOAT(blocks_settings, dropout, 0, 0, 0.99, "before the output layer", .search = CRU_ONE_OF(0, 0.1, 0.2, 0.3)),
    CRU_CHOICE(blocks_settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops"),
    CRU_TRAIN_SETTINGS(blocks_settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(blocks_settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

blocks blocks_create(cru_learner *l)
{
    const blocks_settings *s = l->settings;
    if (s->hidden % s->heads)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "hidden = %lld is not a multiple of heads = %lld", (long long)s->hidden,
                     (long long)s->heads);
    blocks b = {.adj = cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){s->loops, CRU_NORM_NONE})};
    b.in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    b.out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
    return b;
}

cru_fc blocks_layer(cru_learner *l, int64_t number, const char *part, cru_dims shape, bool bias)
{
    char name[48];
    snprintf(name, sizeof name, "block%lld.%s", (long long)number, part);
    return cru_fc_create_drawn(l->net, name, shape.dim[0], shape.dim[1], CRU_DRAW_FAN_IN, bias);
}

cru_tensor *blocks_logits(cru_learner *l, cru_tape *t, blocks_apply *apply)
{
    const blocks *m = l->model;
    const blocks_settings *s = l->settings;
    cru_tensor *h = cru_gelu(t, cru_fc_input(t, &m->in, &l->x));
    for (int64_t i = 0; i < s->layers; i++) h = apply(l, t, i, h);
    return cru_fc_apply(t, &m->out, cru_represent(t, cru_dropout(t, h, s->dropout)));
}

/* ---- additive attention ------------------------------------------------------------------------------------ */

void additive_build(cru_learner *l, additive_model *m, bool apart)
{
    const blocks_settings *s = l->settings;
    const cru_dims square = cru_2d(s->hidden, s->hidden), heads = cru_2d(s->hidden, s->heads);
    m->blocks = blocks_create(l);
    for (int64_t i = 0; i < s->layers; i++)
        m->block[i] = (additive_block){
            .in = blocks_layer(l, i, "in", square, true),
            .source = blocks_layer(l, i, "source", heads, true),
            .target = blocks_layer(l, i, "target", heads, false),
            .first = blocks_layer(l, i, "first", apart ? cru_2d(2 * s->hidden, s->hidden) : square, true),
            .second = blocks_layer(l, i, "second", square, true),
            .apart = apart,
        };
}

/* n x (a b) -> n x (b a): from heads as the fast axis to heads as blocks of columns, and back. */
static cru_tensor *swap_axes(cru_tape *t, cru_tensor *x, int64_t a, int64_t b)
{
    cru_tensor *cube = cru_reshape(t, x, cru_3d(cru_tensor_rows(x), a, b));
    return cru_as_matrix(t, cru_permute(t, cube, (const int32_t[]){0, 2, 1, 3}), -1, a * b);
}

static cru_tensor *additive_apply(cru_learner *l, cru_tape *t, int64_t number, cru_tensor *h)
{
    const additive_model *m = l->model;
    const blocks_settings *s = l->settings;
    const additive_block *b = &m->block[number];
    const int64_t width = s->hidden / s->heads;
    cru_tensor *u = cru_fc_apply(t, &b->in, h);
    cru_tensor *source = cru_fc_apply(t, &b->source, u), *target = cru_fc_apply(t, &b->target, u);
    cru_tensor *e = cru_edge_add(t, m->blocks.adj, target, source);
    cru_tensor *alpha = cru_edge_softmax(t, m->blocks.adj, cru_leaky_relu(t, e, 0.2)); /* edges x heads */
    cru_tensor *mean = cru_spmm_weighted(t, m->blocks.adj, alpha, swap_axes(t, u, width, s->heads));
    cru_tensor *part[] = {u, swap_axes(t, mean, s->heads, width)};
    cru_tensor *first = b->apart ? cru_fc_apply_parts(t, &b->first, part, 2) : cru_fc_apply(t, &b->first, part[1]);
    return cru_add(t, h, cru_fc_apply(t, &b->second, cru_gelu(t, first)));
}

cru_tensor *additive_logits(cru_learner *l, void *self, cru_tape *t)
{
    (void)self;
    return blocks_logits(l, t, additive_apply);
}
