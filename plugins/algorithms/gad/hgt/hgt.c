// SPDX-License-Identifier: Apache-2.0
/* hgt: attention over the edges of all relations at once, with matrices of its own for each relation.
 *
 *     H = X W_in + b_in      K = H W_K      Q = H W_Q      V = H W_V      in heads of c columns side by side
 *     a_e = < K_u A_r, Q_v > mu_r / sqrt(c)      alpha = softmax of a over all in-edges of v      e = u -> v in relation r
 *     G_v = sum_e alpha_e V_u M_r      H <- ReLU(beta Drop(G W_A) + (1 - beta) H)      beta = sigmoid(skip)
 *     logits = H W_o + b_o
 *
 * One kind of nodes. Relations share no edge: a pair in two of them counts twice. variant = bench drops while judging,
 * too, as the study's code does; variant = paper drops in training only. A graph without relations is one relation. The
 * loss weighs the rare class up.
 *
 * Hu, Dong, Wang, Sun. Heterogeneous Graph Transformer. WWW 2020. */
#include <math.h>
#include <stdio.h>

#include "always-drop.h"

typedef struct settings {
    int64_t layers, hidden, heads, variant;
    double dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "layers"),
    CRU_INT(settings, hidden, 32, 1, 65536, "width, a multiple of heads"),
    CRU_INT(settings, heads, 1, 1, CRU_MAX_LAYERS, "attention heads"),
    CRU_FLOAT(settings, dropout, 0.2, 0, 0.99, "of what a layer aggregates"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "drop while judging, too, or in training only"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct head {
    cru_tensor *attention, *message; /* A_r and M_r below each other: (relations c) x c */
    cru_tensor *prior;               /* mu: 1 x relations */
} head;

typedef struct layer {
    cru_fc key, query, value, out;
    cru_tensor *skip;
    head head[CRU_MAX_LAYERS];
} layer;

typedef struct model {
    cru_fc in, out;
    layer layer[CRU_MAX_LAYERS];
    cru_sparse *adj; /* n x (relations n): column r n + u is node u as a source in relation r */
    int64_t relations;
} model;

static cru_sparse *edges_of_all(cru_learner *l, int64_t relations)
{
    const cru_task *task = l->task;
    const cru_relation whole = {"graph", task->graph}, *relation = task->relation_count ? task->relations : &whole;
    int64_t count = 0, at = 0;
    for (int64_t r = 0; r < relations; r++) count += cru_csr_nnz(&relation[r].graph);
    int32_t *row = cru_ctx_alloc(l->ctx, count, sizeof *row), *col = cru_ctx_alloc(l->ctx, count, sizeof *col);
    for (int64_t r = 0; r < relations; at += cru_csr_nnz(&relation[r++].graph)) {
        const cru_csr *g = &relation[r].graph;
        cru_csr_entry_rows(g, row + at);
        for (int64_t e = 0; e < cru_csr_nnz(g); e++) col[at + e] = (int32_t)(r * task->nodes + g->ids[e]);
    }
    const cru_coo all = {task->nodes, relations * task->nodes, count, row, col, NULL};
    const cru_csr csr = cru_csr_from_coo(cru_ctx_pool(l->ctx), &all, CRU_DUP_FIRST);
    return cru_sparse_create(l->ctx, &csr);
}

static cru_tensor *weight(cru_learner *l, int64_t number, const char *part, cru_dims shape, cru_init init)
{
    char name[64];
    snprintf(name, sizeof name, "layer%lld.%s", (long long)number, part);
    return cru_net_weight(l->net, name, shape, init);
}

static head head_create(cru_learner *l, int64_t number, int64_t k, int64_t relations)
{
    const settings *s = l->settings;
    const int64_t c = s->hidden / s->heads;
    const cru_init fan = {.kind = CRU_INIT_FAN_IN, .fan_in = c}, one = {.kind = CRU_INIT_CONSTANT, .a = 1};
    char a[32], m[32], p[32];
    snprintf(a, sizeof a, "attention%lld", (long long)k);
    snprintf(m, sizeof m, "message%lld", (long long)k);
    snprintf(p, sizeof p, "prior%lld", (long long)k);
    head h = {.attention = weight(l, number, a, cru_2d(relations * c, c), fan)};
    h.message = weight(l, number, m, cru_2d(relations * c, c), fan);
    h.prior = weight(l, number, p, cru_2d(1, relations), one);
    return h;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_init fan = {.kind = CRU_INIT_FAN_IN}, one = {.kind = CRU_INIT_CONSTANT, .a = 1};
    const cru_dims square = cru_2d(s->hidden, s->hidden);
    m->relations = l->task->relation_count ? l->task->relation_count : 1;
    if (s->hidden % s->heads)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "hidden = %lld is not a multiple of heads = %lld", (long long)s->hidden,
                     (long long)s->heads);
    if (m->relations * l->task->nodes > INT32_MAX) cru_learner_refuse(l, "too many nodes for so many relations");
    if (cru_ctx_status(l->ctx)) return;
    m->adj = edges_of_all(l, m->relations);
    m->in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    for (int64_t i = 0; i < s->layers; i++) {
        layer *one_layer = &m->layer[i];
        one_layer->key.w = weight(l, i, "key", square, fan);
        one_layer->query.w = weight(l, i, "query", square, fan);
        one_layer->value.w = weight(l, i, "value", square, fan);
        one_layer->out.w = weight(l, i, "out", square, fan);
        one_layer->skip = weight(l, i, "skip", cru_1d(1), one);
        for (int64_t k = 0; k < s->heads; k++) one_layer->head[k] = head_create(l, i, k, m->relations);
    }
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

/* x times the matrices of every relation, below each other: n x c, (R c) x c -> (R n) x c; with `prior` times mu_r. */
static cru_tensor *in_relations(cru_tape *t, const model *m, cru_tensor *x, cru_tensor *matrices, cru_tensor *prior)
{
    const int64_t c = cru_tensor_cols(x);
    cru_tensor *sum = NULL;
    for (int64_t r = 0; r < m->relations; r++) {
        cru_tensor *y = cru_matmul(t, x, cru_slice_rows(t, matrices, r * c, (r + 1) * c));
        if (prior) y = cru_mul(t, y, cru_reshape(t, cru_slice_cols(t, prior, r, r + 1), cru_0d()));
        sum = sum ? cru_concat_rows(t, (cru_tensor *[]){sum, y}, 2) : y;
    }
    return sum;
}

static cru_tensor *aggregate(cru_learner *l, cru_tape *t, const model *m, const layer *w, cru_tensor *h)
{
    const settings *s = l->settings;
    const int64_t c = s->hidden / s->heads;
    cru_tensor *k = cru_fc_apply(t, &w->key, h), *q = cru_fc_apply(t, &w->query, h), *v = cru_fc_apply(t, &w->value, h);
    cru_tensor *keys[CRU_MAX_LAYERS], *messages[CRU_MAX_LAYERS];
    for (int64_t i = 0; i < s->heads; i++) {
        cru_tensor *own = cru_slice_cols(t, k, i * c, (i + 1) * c);
        keys[i] = in_relations(t, m, own, w->head[i].attention, w->head[i].prior);
        messages[i] = in_relations(t, m, cru_slice_cols(t, v, i * c, (i + 1) * c), w->head[i].message, NULL);
    }
    cru_tensor *e = cru_sddmm(t, m->adj, q, cru_concat_cols(t, keys, s->heads), s->heads);
    cru_tensor *alpha = cru_edge_softmax(t, m->adj, cru_scale(t, e, 1 / sqrt((double)c)));
    return cru_fc_apply(t, &w->out, cru_spmm_weighted(t, m->adj, alpha, cru_concat_cols(t, messages, s->heads)));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_fc_input(t, &m->in, &l->x);
    for (int64_t i = 0; i < s->layers; i++) {
        cru_tensor *g = aggregate(l, t, m, &m->layer[i], h);
        g = s->variant == CRU_PAPER ? cru_dropout(t, g, s->dropout) : always_drop(l, t, g, s->dropout, i);
        cru_tensor *beta = cru_reshape(t, cru_sigmoid(t, m->layer[i].skip), cru_0d());
        cru_tensor *new = cru_mul(t, g, beta), *old = cru_mul(t, h, cru_affine(t, beta, -1, 1));
        h = cru_relu(t, cru_add(t, new, old));
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, h));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "hgt",
    .version = "1.0",
    .summary = "attention over the edges of all relations, with matrices for each",
    .citation = "Hu, Dong, Wang, Sun. Heterogeneous Graph Transformer. WWW 2020.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
