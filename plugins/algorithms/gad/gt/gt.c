// SPDX-License-Identifier: Apache-2.0
/* gt: a transformer whose attention is restricted to the edges.
 *
 *     H = GELU(X W_in + b_in)      a few times: H <- H + Attn(H), H <- H + FF(H)      logits = Drop(H) W_o + b_o
 *
 *     Attn(H):  Q = H W_q + b_q      K = H W_k + b_k      V = H W_v + b_v      in heads of c columns side by side
 *               e_uv = < Q_u, K_v > / sqrt(c)      (an edge u -> v: the query is the source's)
 *               alpha = softmax of e over the in-edges of v, per head      (sum_u alpha_uv V_u) W_a + b_a
 *     FF(H):    GELU(H W_1 + b_1) W_2 + b_2
 *
 * No layer norm. The loss weighs the rare class up.
 *
 * Shi, Huang, Feng, Zhong, Wang, Sun. Masked Label Prediction. IJCAI 2021; in the form of Platonov et al. A critical
 * look at the evaluation of GNNs under heterophily. ICLR 2023. */
#include <math.h>
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
    cru_fc query, key, value, attended, first, second; /* W_q, W_k, W_v, W_a, W_1, W_2 */
} block;

typedef struct model {
    cru_sparse *adj;
    cru_fc in, out;
    block block[CRU_MAX_LAYERS];
} model;

static cru_fc block_layer(cru_learner *l, int64_t number, const char *part)
{
    const settings *s = l->settings;
    char name[48];
    snprintf(name, sizeof name, "block%lld.%s", (long long)number, part);
    return cru_fc_create(l->net, name, s->hidden, s->hidden);
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
        m->block[i] = (block){.query = block_layer(l, i, "query"),
                              .key = block_layer(l, i, "key"),
                              .value = block_layer(l, i, "value"),
                              .attended = block_layer(l, i, "attended"),
                              .first = block_layer(l, i, "first"),
                              .second = block_layer(l, i, "second")};
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

static cru_tensor *attend(cru_learner *l, cru_tape *t, const model *m, const block *b, cru_tensor *h)
{
    const settings *s = l->settings;
    cru_tensor *query = cru_fc_apply(t, &b->query, h), *key = cru_fc_apply(t, &b->key, h);
    cru_tensor *value = cru_fc_apply(t, &b->value, h);
    cru_tensor *e = cru_sddmm(t, m->adj, key, query, s->heads);
    cru_tensor *alpha = cru_edge_softmax(t, m->adj, cru_scale(t, e, 1 / sqrt((double)s->hidden / (double)s->heads)));
    return cru_fc_apply(t, &b->attended, cru_spmm_weighted(t, m->adj, alpha, value));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_gelu(t, cru_fc_input(t, &m->in, &l->x));
    for (int64_t i = 0; i < s->layers; i++) {
        const block *b = &m->block[i];
        h = cru_add(t, h, attend(l, t, m, b, h));
        h = cru_add(t, h, cru_fc_apply(t, &b->second, cru_gelu(t, cru_fc_apply(t, &b->first, h))));
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, cru_dropout(t, h, s->dropout)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "gt",
    .version = "1.0",
    .summary = "a transformer over the edges",
    .citation = "Shi, Huang, Feng, Zhong, Wang, Sun. Masked Label Prediction: Unified Message Passing Model for "
                "Semi-Supervised Classification. IJCAI 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
