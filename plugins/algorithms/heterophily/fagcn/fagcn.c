// SPDX-License-Identifier: Apache-2.0
/* fagcn: a signed coefficient for every edge, so that each can make its ends alike or tell them apart.
 *
 *     H_0 = Drop(ReLU(Drop(X) T_1 + b_1))
 *     H_l = eps H_0 + E_l H_l-1      E_l = Drop(tanh(g_l . [h_v | h_u] + c_l) / sqrt(d_v d_u)) for every edge u -> v
 *     logits = H_L T_2 + b_2
 *
 * h are the rows of H_l-1. g . [h_v | h_u] is a number of v plus a number of u, so that nothing wide is made of an
 * edge. d are in-degrees without self-loops.
 *
 * Bo, Wang, Shi, Shen. Beyond Low-frequency Information in Graph Convolutional Networks. AAAI 2021. */
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, hidden;
    double eps, dropout;
    bool one_logit;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, eps, 0.3, 0, 1, "weight of the first representation in every layer",
              .search = CRU_ONE_OF(0.3, 0.4, 0.5)),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "rounds of propagation L"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the features, after the activation and of edge coefficients",
              .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_REMOVE, CRU_NORM_SYM),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.002, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_fc in, out;
    cru_fc gate[CRU_MAX_LAYERS]; /* 2 hidden x 1, the receiver's half first */
    cru_tensor *norm;            /* 1 / sqrt(d_v d_u), E x 1 */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_init xavier = {.kind = CRU_INIT_GLOROT_NORMAL, .a = 1.414};
    const cru_init bias_in = {.kind = CRU_INIT_FAN_IN, .fan_in = l->x.cols};
    const cru_init bias_gate = {.kind = CRU_INIT_FAN_IN, .fan_in = 2 * s->hidden};
    const cru_init bias_out = {.kind = CRU_INIT_FAN_IN, .fan_in = s->hidden};
    m->in = cru_fc_create_with(l->net, "in", l->x.cols, s->hidden, xavier, &bias_in);
    for (int64_t k = 0; k < s->layers; k++) {
        char name[16];
        snprintf(name, sizeof name, "gate%d", (int)k);
        m->gate[k] = cru_fc_create_with(l->net, name, 2 * s->hidden, 1, xavier, &bias_gate);
    }
    m->out = cru_fc_create_with(l->net, "out", s->hidden, cru_outputs(l->task, s->one_logit), xavier, &bias_out);
    m->norm = cru_sparse_values(l->adj);
}

/* E_l, one number an edge */
static cru_tensor *coefficients(cru_learner *l, const model *m, cru_tape *t, const cru_fc *gate, cru_tensor *h)
{
    const settings *s = l->settings;
    cru_tensor *to = cru_matmul(t, h, cru_slice_rows(t, gate->w, 0, s->hidden));
    cru_tensor *from = cru_linear(t, h, cru_slice_rows(t, gate->w, s->hidden, 2 * s->hidden), gate->b);
    cru_tensor *a = cru_tanh(t, cru_edge_add(t, l->adj, to, from));
    cru_tensor *e = cru_mul(t, cru_reshape(t, a, cru_shape_of(m->norm)), m->norm);
    return cru_dropout(t, e, s->dropout);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_input x = cru_input_dropout(t, &l->x, s->dropout);
    cru_tensor *first = cru_dropout(t, cru_relu(t, cru_fc_input(t, &m->in, &x)), s->dropout), *h = first;
    for (int64_t k = 0; k < s->layers; k++) {
        cru_tensor *e = coefficients(l, m, t, &m->gate[k], h);
        h = cru_plus(t, cru_spmm_weighted(t, l->adj, e, h), s->eps, first);
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, h));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "fagcn",
    .version = "1.0",
    .summary = "signed attention: edges pass low or high frequencies",
    .citation = "Bo, Wang, Shi, Shen. Beyond Low-frequency Information in Graph Convolutional Networks. AAAI 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "attention, low/high pass",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
