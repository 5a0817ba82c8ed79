// SPDX-License-Identifier: Apache-2.0
/* amnet: Bernstein filters of one signal, mixed by attention per node.
 *
 *     H = act(X W_1 + b_1) W_2 + b_2      S = D^-1/2 A D^-1/2      L = I - S      filters m = 1 .. M of order K
 *     F_m = theta_m0 / 2^K G + sum_i>0 C(K, i) / 2^K theta_mi L G      G = (I + S)^K H                  variant = bench
 *     F_m = sum_i C(K, i) / 2^K theta_mi L^i (I + S)^(K-i) H                                            variant = paper
 *     alpha_m = softmax over m of < tanh(F_m W_2 + b_2), tanh(H W_2 + b_2) >
 *     logits = (sum_m alpha_m F_m) W_o + b_o
 *
 * theta goes through ReLU and starts at 1, so that as published all filters stay alike; W_2 serves three times, as in
 * the study's code, which also leaves out the paper's margin loss. D holds in-degrees on both sides. The loss weighs
 * the rare class up.
 *
 * Chai, You, Yang, Pu, Xu, Cai, Jiang. Can Abnormality be Detected by Graph Neural Networks? IJCAI 2022. */
#include <math.h>
#include <stdio.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t filters, order, hidden, activation, variant;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, filters, 3, 1, CRU_MAX_LAYERS, "filters M, side by side", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, order, 2, 1, CRU_MAX_LAYERS - 1, "of the polynomials K", .search = CRU_ONE_OF(2, 3)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after the first layer", .search = CRU_ANY_CHOICE),
    CRU_VARIANT(settings, variant, CRU_BENCH, "the filter as coded, with one power of L, or Bernstein polynomials"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_KEEP, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    cru_fc first, second, out;
    cru_tensor *theta[CRU_MAX_LAYERS]; /* K + 1 each */
    cru_tensor *share;                 /* (K + 1) x parts: what of each part a theta stands for */
    int64_t parts;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    float *share = cru_ctx_alloc(l->ctx, (s->order + 1) * (s->order + 1), sizeof *share);
    m->parts = s->variant == CRU_PAPER ? s->order + 1 : 2;
    double choose = ldexp(1, (int)-s->order); /* C(K, i) / 2^K */
    for (int64_t i = 0; i <= s->order; i++) {
        share[i * m->parts + (i < m->parts ? i : 1)] = (float)choose;
        choose *= (double)(s->order - i) / (double)(i + 1);
    }
    m->share = cru_tensor_from(l->ctx, cru_2d(s->order + 1, m->parts), share);
    m->first = cru_fc_create(l->net, "first", l->x.cols, s->hidden);
    m->second = cru_fc_create(l->net, "second", s->hidden, s->hidden);
    for (int64_t i = 0; i < s->filters; i++) {
        char name[32];
        snprintf(name, sizeof name, "theta%lld", (long long)i);
        m->theta[i] =
            cru_net_weight(l->net, name, cru_2d(1, s->order + 1), (cru_init){.kind = CRU_INIT_CONSTANT, .a = 1});
    }
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

/* part[i] = L^i (I + S)^(K-i) H, or, as coded, G and L G */
static void filter_parts(cru_learner *l, cru_tape *t, const model *m, cru_tensor *h, cru_tensor **part)
{
    const settings *s = l->settings;
    for (int64_t i = 0; i < m->parts; i++) {
        cru_tensor *p = s->variant == CRU_BENCH && i == 1 ? part[0] : h;
        for (int64_t k = s->variant == CRU_BENCH && i == 1 ? s->order : i; k < s->order; k++)
            p = cru_add(t, p, cru_spmm(t, l->adj, p));
        for (int64_t k = 0; k < i; k++) p = cru_sub(t, p, cru_spmm(t, l->adj, p));
        part[i] = p;
    }
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *part[CRU_MAX_LAYERS], *filtered[CRU_MAX_LAYERS], *fit[CRU_MAX_LAYERS], *sum = NULL;
    cru_tensor *h = cru_activate(t, cru_activations[s->activation], cru_fc_input(t, &m->first, &l->x));
    h = cru_fc_apply(t, &m->second, h);
    filter_parts(l, t, m, h, part);
    cru_tensor *key = cru_tanh(t, cru_fc_apply(t, &m->second, h));
    for (int64_t i = 0; i < s->filters; i++) {
        cru_tensor *weights = cru_matmul(t, cru_relu(t, m->theta[i]), m->share);
        filtered[i] = cru_mix(t, part, m->parts, cru_reshape(t, weights, cru_1d(m->parts)));
        cru_tensor *query = cru_tanh(t, cru_fc_apply(t, &m->second, filtered[i]));
        fit[i] = cru_as_matrix(t, cru_dot_rows(t, query, key), -1, 1);
    }
    cru_tensor *alpha = cru_softmax(t, cru_concat_cols(t, fit, s->filters), 1);
    for (int64_t i = 0; i < s->filters; i++) {
        cru_tensor *one = cru_mul(t, filtered[i], cru_slice_cols(t, alpha, i, i + 1));
        sum = sum ? cru_add(t, sum, one) : one;
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, sum));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "amnet",
    .version = "1.0",
    .summary = "Bernstein filters mixed by attention per node",
    .citation =
        "Chai, You, Yang, Pu, Xu, Cai, Jiang. Can Abnormality be Detected by Graph Neural Networks? IJCAI 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
