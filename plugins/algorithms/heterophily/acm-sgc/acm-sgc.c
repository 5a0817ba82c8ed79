// SPDX-License-Identifier: Apache-2.0
/* acm-sgc: one linear layer of a low-pass, a high-pass and an identity channel, which every node mixes for itself.
 *
 *     H_L = F^K x W_L      H_H = (I - F) x W_H      H_I = x W_I      logits = 3 sum_c alpha_c H_c
 *
 * x = Drop(X), F = D^-1 (A + I), alpha as channels.h says. The high pass has one hop, whatever K is.
 *
 * Luan, Hua, Lu, Zhu, Zhao, Zhang, Chang, Precup. Revisiting Heterophily for Graph Neural Networks. NeurIPS 2022. */
#include "channels.h"

typedef struct settings {
    int64_t hops;
    double dropout;
    bool one_logit;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, hops, 1, 1, 1000, "steps of the low pass K", .search = CRU_ONE_OF(1, 2)),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "of the features"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_ROW),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 5000, 0.05, 1e-3),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    channels *layer = self;
    const settings *s = l->settings;
    *layer = channels_create(l->net, 0, &(channels_shape){.in = l->x.cols, .out = cru_outputs(l->task, s->one_logit)});
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const channels *layer = self;
    const settings *s = l->settings;
    const cru_input x = cru_input_dropout(t, &l->x, s->dropout);
    cru_tensor *h[MAX_CHANNELS];
    for (int64_t i = 0; i < STRUCTURE; i++) h[i] = cru_input_linear(t, &x, layer->w[i], NULL);
    h[LOW] = cru_propagate(t, l->adj, h[LOW], s->hops);
    h[HIGH] = cru_sub(t, h[HIGH], cru_spmm(t, l->adj, h[HIGH]));
    return channels_mix(t, layer, h);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, channels, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "acm-sgc",
    .version = "1.0",
    .summary = "one linear layer of three channels that every node mixes",
    .citation = CHANNELS_CITATION,
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "channel mixing",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
