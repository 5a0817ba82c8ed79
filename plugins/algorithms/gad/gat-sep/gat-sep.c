// SPDX-License-Identifier: Apache-2.0
/* gat-sep: graph attention whose blocks see a node and its neighbourhood apart.
 *
 *     H = GELU(X W_in + b_in)      H <- H + Block(H), a few times      logits = Drop(H) W_o + b_o
 *
 *     Block(H):  U = H W_1 + b_1
 *                e_uv,k = LeakyReLU(s_u,k + d_v,k)      s = U W_u + b_u      d = U W_v      (an edge u -> v, head k)
 *                alpha = softmax of e over the in-edges of v, per head
 *                M_v,j = sum_u alpha_uv,(j mod K) U_u,j      K heads, interleaved
 *                GELU([U | M] W_a + b_a) W_b + b_b
 *
 * gat with [U | M] in the place of M; a self-loop is an in-edge like any other. The loss weighs the rare class up.
 *
 * Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova. A critical look at the evaluation of GNNs under heterophily.
 * ICLR 2023; separation from Zhu et al. Beyond Homophily in Graph Neural Networks. NeurIPS 2020. */
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, hidden, heads, loops;
    double dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "blocks", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_INT(settings, hidden, 32, 1, 65536, "width, a multiple of heads", .search = CRU_ONE_OF(16, 32)),
    CRU_INT(settings, heads, 4, 1, 1024, "attention heads", .search = CRU_ONE_OF(1, 2, 4, 8)),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "before the output layer", .search = CRU_ONE_OF(0, 0.1, 0.2, 0.3)),
    CRU_CHOICE(settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct block {
    cru_fc in, source, target, first, second; /* W_1, W_u, W_v, W_a, W_b */
} block;

typedef struct model {
    cru_sparse *adj;
    cru_fc in, out;
    block block[CRU_MAX_LAYERS];
} model;

static cru_fc block_layer(cru_learner *l, int64_t number, const char *part, int64_t in, int64_t out, bool bias)
{
    char name[48];
    snprintf(name, sizeof name, "block%lld.%s", (long long)number, part);
    return cru_fc_create_drawn(l->net, name, in, out, CRU_DRAW_FAN_IN, bias);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    if (s->hidden % s->heads)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "hidden = %lld is not a multiple of heads = %lld", (long long)s->hidden,
                     (long long)s->heads);
    m->adj = cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){s->loops, CRU_NORM_NONE});
    m->in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    for (int64_t i = 0; i < s->layers; i++)
        m->block[i] = (block){.in = block_layer(l, i, "in", s->hidden, s->hidden, true),
                              .source = block_layer(l, i, "source", s->hidden, s->heads, true),
                              .target = block_layer(l, i, "target", s->hidden, s->heads, false),
                              .first = block_layer(l, i, "first", 2 * s->hidden, s->hidden, true),
                              .second = block_layer(l, i, "second", s->hidden, s->hidden, true)};
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

/* n x (a b) -> n x (b a): from heads as the fast axis to heads as blocks of columns, and back. */
static cru_tensor *swap_axes(cru_tape *t, cru_tensor *x, int64_t a, int64_t b)
{
    cru_tensor *cube = cru_reshape(t, x, cru_3d(cru_tensor_rows(x), a, b));
    return cru_as_matrix(t, cru_permute(t, cube, (const int32_t[]){0, 2, 1, 3}), -1, a * b);
}

static cru_tensor *apply_block(cru_learner *l, cru_tape *t, const model *m, const block *b, cru_tensor *h)
{
    const settings *s = l->settings;
    const int64_t width = s->hidden / s->heads;
    cru_tensor *u = cru_fc_apply(t, &b->in, h);
    cru_tensor *source = cru_fc_apply(t, &b->source, u), *target = cru_fc_apply(t, &b->target, u);
    cru_tensor *e = cru_edge_add(t, m->adj, target, source);
    cru_tensor *alpha = cru_edge_softmax(t, m->adj, cru_leaky_relu(t, e, 0.2)); /* edges x heads */
    cru_tensor *mean = cru_spmm_weighted(t, m->adj, alpha, swap_axes(t, u, width, s->heads));
    cru_tensor *apart[] = {u, swap_axes(t, mean, s->heads, width)};
    cru_tensor *first = cru_fc_apply_parts(t, &b->first, apart, 2);
    return cru_fc_apply(t, &b->second, cru_gelu(t, first));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_gelu(t, cru_fc_input(t, &m->in, &l->x));
    for (int64_t i = 0; i < s->layers; i++) h = cru_add(t, h, apply_block(l, t, m, &m->block[i], h));
    return cru_fc_apply(t, &m->out, cru_represent(t, cru_dropout(t, h, s->dropout)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "gat-sep",
    .version = "1.0",
    .summary = "graph attention that keeps a node and its neighbourhood apart",
    .citation = "Platonov, Kuznedelev, Diskin, Babenko, Prokhorenkova. A critical look at the evaluation of GNNs under "
                "heterophily. ICLR 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
