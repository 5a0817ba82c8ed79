// SPDX-License-Identifier: Apache-2.0
/* gat: additive attention over the in-edges inside residual blocks.
 *
 *     H = GELU(X W_in + b_in)      H <- H + Block(H), a few times      logits = Drop(H) W_o + b_o
 *
 *     Block(H):  U = H W_1 + b_1
 *                e_uv,k = LeakyReLU(s_u,k + d_v,k)      s = U W_u + b_u      d = U W_v      (an edge u -> v, head k)
 *                alpha = softmax of e over the in-edges of v, per head
 *                M_v,j = sum_u alpha_uv,(j mod K) U_u,j      K heads, interleaved
 *                GELU(M W_a + b_a) W_b + b_b
 *
 * The architecture of Platonov et al. A critical look at the evaluation of GNNs under heterophily. ICLR 2023, without
 * its layer norm; attention from Velickovic et al. Graph Attention Networks. ICLR 2018. The loss weighs the rare class
 * up. */
#include <stdio.h>

#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY };

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
    cru_learner base;
    cru_sparse *adj;
    cru_fc in, out;
    block block[CRU_MAX_LAYERS];
} model;

typedef struct part {
    const char *name;
    int64_t out;
    bool bias;
} part;

static cru_fc block_layer(const model *m, int64_t number, part p)
{
    const settings *s = m->base.settings;
    char name[48];
    snprintf(name, sizeof name, "block%lld.%s", (long long)number, p.name);
    return cru_fc_create_drawn(m->base.net, name, (const int64_t[]){s->hidden, p.out}, CRU_DRAW_FAN_IN, p.bias);
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    if (s->hidden % s->heads)
        return cru_ctx_fail(m->base.ctx, CRU_BAD_INPUT, "hidden = %lld is not a multiple of heads = %lld",
                            (long long)s->hidden, (long long)s->heads);
    const cru_csr graph = cru_graph_loops(cru_ctx_pool(m->base.ctx), &task->graph, (cru_loops)s->loops);
    m->adj = cru_sparse_create(m->base.ctx, &graph);
    m->in = cru_fc_create(m->base.net, "in", task->x.cols, s->hidden);
    for (int64_t i = 0; i < s->layers; i++)
        m->block[i] = (block){.in = block_layer(m, i, (part){"in", s->hidden, true}),
                              .source = block_layer(m, i, (part){"source", s->heads, true}),
                              .target = block_layer(m, i, (part){"target", s->heads, false}),
                              .first = block_layer(m, i, (part){"first", s->hidden, true}),
                              .second = block_layer(m, i, (part){"second", s->hidden, true})};
    m->out = cru_fc_create(m->base.net, "out", s->hidden, task->classes);
    return cru_ctx_status(m->base.ctx);
}

/* n x (a b) -> n x (b a): from heads as the fast axis to heads as blocks of columns, and back. */
static cru_tensor *swap_axes(cru_tape *t, cru_tensor *x, int64_t a, int64_t b)
{
    const int64_t n = cru_tensor_rows(x);
    cru_tensor *cube = cru_reshape(t, x, 3, (const int64_t[]){n, a, b});
    return cru_as_matrix(t, cru_permute(t, cube, (const int32_t[]){0, 2, 1, 3}), n, a * b);
}

static cru_tensor *apply_block(cru_tape *t, const model *m, const block *b, cru_tensor *h)
{
    const settings *s = m->base.settings;
    const int64_t width = s->hidden / s->heads;
    cru_tensor *u = cru_fc_apply(t, &b->in, h);
    cru_tensor *e = cru_edge_add(t, m->adj, cru_fc_apply(t, &b->target, u), cru_fc_apply(t, &b->source, u));
    cru_tensor *alpha = cru_edge_softmax(t, m->adj, cru_leaky_relu(t, e, 0.2f)); /* edges x heads */
    cru_tensor *mean = cru_spmm_weighted(t, m->adj, alpha, swap_axes(t, u, width, s->heads));
    mean = swap_axes(t, mean, s->heads, width);
    return cru_fc_apply(t, &b->second, cru_gelu(t, cru_fc_apply(t, &b->first, mean)));
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    cru_tensor *h = cru_gelu(t, cru_fc_input(t, &m->in, &m->base.x));
    for (int64_t i = 0; i < s->layers; i++) h = cru_add(t, h, apply_block(t, m, &m->block[i], h));
    return cru_fc_apply(t, &m->out, cru_dropout(t, h, (float)s->dropout));
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "gat",
    .version = "1.0",
    .summary = "graph attention in residual blocks",
    .citation = "Velickovic, Cucurull, Casanova, Romero, Lio, Bengio. Graph Attention Networks. ICLR 2018.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
