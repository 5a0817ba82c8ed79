// SPDX-License-Identifier: Apache-2.0
/* bwgnn: band-pass filters on the graph's spectrum, where anomalies shift energy to the right.
 *
 *     H = act(act(X W_1 + b_1) W_2 + b_2)
 *     Z = [W_0 H | ... | W_C H]      W_i = (L/2)^i (I - L/2)^(C-i) / B(i+1, C-i+1)      L = I - D^-1/2 A D^-1/2
 *     logits = ReLU(Z W_3 + b_3) W_4 + b_4      with mlp_layers = 1: Z W_3 + b_3
 *
 * D holds in-degrees on both sides. Self-loops are those of the graph. As in the anomaly study the filters are divided
 * by B, not by 2 B as in the paper, which the head makes up for; the loss weighs the rare class up.
 *
 * Tang, Li, Gao, Li. Rethinking Graph Neural Networks for Anomaly Detection. ICML 2022. */
#include "wavelet-net.h"

typedef struct settings {
    wavelet_settings net;
    double dropout;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    WAVELET_SETTINGS(settings, net),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "before the filters; the study never applied its own"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_KEEP, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    *(wavelet_net *)self = wavelet_net_create(l, &s->net);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const settings *s = l->settings;
    return wavelet_net_logits(t, self, l->adj, &l->x, s->dropout);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, wavelet_net, .build = build, .logits = logits,
               .adjacency = CRU_AT(settings, adjacency)),
    .name = "bwgnn",
    .version = "2.0",
    .summary = "Beta wavelets: band-pass filters on the graph's spectrum",
    .citation = "Tang, Li, Gao, Li. Rethinking Graph Neural Networks for Anomaly Detection. ICML 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
