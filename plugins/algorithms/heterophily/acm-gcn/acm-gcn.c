// SPDX-License-Identifier: Apache-2.0
/* acm-gcn: layers that compute a low-pass, a high-pass and an identity channel, which every node mixes for itself.
 *
 *     layer(x) = 3 sum_c alpha_c H_c      H_L = ReLU(F x W_L)      H_H = ReLU((I - F) x W_H)      H_I = ReLU(x W_I)
 *     x = Drop(X)      H = Drop(ReLU(layer_1(x)))      logits = layer_2(H)
 *
 * with alpha as channels.h says and F = D^-1 (A + I). With filter_last, H_L = F ReLU(x W_L) and H_H = (I - F) ReLU(x
 * W_H).
 *
 * ACM-GCN+ is layer_norm = yes, a norm inside the scores. With structure = yes its layers have a fourth channel
 * H_S = ReLU(A S), S one row a node, A neither normalised nor looped, and the factor 3 is 1.
 * ACM-GCN++ is that with residual = yes: logits = layer_2(H + Drop(ReLU(MLP(x)))).
 *
 * Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily for Graph Neural Networks. NeurIPS 2022. */
#include "channels.h"

typedef struct settings {
    int64_t layers, hidden, residual_layers;
    double dropout;
    bool filter_last, layer_norm, structure, residual, one_logit;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, filter_last, false, "filter after the ReLU: the study's variant 1", .search = CRU_ONE_OF(0, 1)),
    CRU_BOOL(settings, structure, false, "a fourth channel of the adjacency alone", .search = CRU_ONE_OF(0, 1)),
    CRU_BOOL(settings, layer_norm, false, "normalise the channels inside the scores: ACM-GCN+"),
    CRU_BOOL(settings, residual, false, "add a perceptron of the features before the last layer: ACM-GCN++"),
    CRU_INT(settings, residual_layers, 1, 1, CRU_MAX_LAYERS, "its linear layers"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "mixed layers"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them"),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "of the features and after each activation",
              .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_ROW),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 5000, 0.05, 1e-3),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    channels layer[CRU_MAX_LAYERS];
    cru_sparse *bare; /* A, for the structure channel */
    cru_mlp residual;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    if (s->residual && s->layers == 1)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "residual = yes adds to a hidden layer, and layers = 1 has none");
    for (int64_t i = 0; i < s->layers; i++) {
        const int64_t in = i ? s->hidden : l->x.cols,
                      out = i + 1 < s->layers ? s->hidden : cru_outputs(l->task, s->one_logit);
        const channels_shape shape = {in, out, s->structure ? l->x.rows : 0, s->layer_norm};
        m->layer[i] = channels_create(l->net, i, &shape);
    }
    const cru_csr pattern = cru_csr_pattern(&l->task->graph);
    if (s->structure)
        m->bare = cru_adjacency_create(l->ctx, &pattern, &(cru_adjacency){CRU_LOOPS_REMOVE, CRU_NORM_NONE});
    const cru_mlp_shape residual = {l->x.cols,          s->hidden,          s->hidden,
                                    s->residual_layers, .batch_norm = true, .norm_last = true};
    if (s->residual) m->residual = cru_mlp_create(l->net, "residual", &residual);
}

static cru_tensor *mixed(cru_learner *l, const model *m, cru_tape *t, const channels *c, const cru_input *x)
{
    const settings *s = l->settings;
    cru_tensor *h[MAX_CHANNELS];
    for (int64_t i = 0; i < STRUCTURE; i++) {
        h[i] = cru_input_linear(t, x, c->w[i], NULL);
        if (s->filter_last) h[i] = cru_relu(t, h[i]);
        if (i == LOW) h[i] = cru_spmm(t, l->adj, h[i]);
        if (i == HIGH) h[i] = cru_sub(t, h[i], cru_spmm(t, l->adj, h[i]));
        if (!s->filter_last) h[i] = cru_relu(t, h[i]);
    }
    if (s->structure) h[STRUCTURE] = cru_relu(t, cru_spmm(t, m->bare, c->w[STRUCTURE]));
    return channels_mix(t, c, h);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_input first = cru_input_dropout(t, &l->x, s->dropout);
    cru_input x = first;
    for (int64_t i = 0; i + 1 < s->layers; i++) {
        cru_tensor *h = cru_dropout(t, cru_relu(t, mixed(l, m, t, &m->layer[i], &x)), s->dropout);
        if (s->residual && i + 2 == s->layers) {
            cru_tensor *r = cru_relu(t, cru_mlp_input(t, &m->residual, &first));
            h = cru_add(t, h, cru_dropout(t, r, s->dropout));
        }
        x = cru_input_of(h);
    }
    if (s->layers > 1) cru_represent(t, x.dense);
    return mixed(l, m, t, &m->layer[s->layers - 1], &x);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "acm-gcn",
    .version = "1.0",
    .summary = "every node mixes a low-pass, a high-pass and an identity channel",
    .citation = CHANNELS_CITATION,
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "channel mixing",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
