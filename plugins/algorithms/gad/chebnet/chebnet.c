// SPDX-License-Identifier: Apache-2.0
/* chebnet: a convolution with Chebyshev polynomials of the Laplacian, between two linear layers (cheb-net.h).
 *
 *     H = act(X W_in + b_in)      logits = act([T_0 | ... | T_K-1] W_c + b_c) W_o + b_o
 *     T_0 = H      T_1 = -S H      T_i = -2 S T_i-1 - T_i-2      S = D^-1/2 A D^-1/2
 *
 * D holds in-degrees on both sides, 1 for none, and the largest eigenvalue of I - S is taken as 2. `terms` counts
 * polynomials: with one there is no graph. The loss weighs the rare class up.
 *
 * Defferrard, Bresson, Vandergheynst. Convolutional Neural Networks on Graphs with Fast Localized Spectral Filtering.
 * NeurIPS 2016. */
#include "cheb-net.h"

typedef struct settings {
    int64_t terms, hidden, activation, loops;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, terms, 2, 1, CRU_MAX_LAYERS, "Chebyshev polynomials K", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after the first two layers", .search = CRU_ANY_CHOICE),
    CRU_CHOICE(settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    cru_csr graph = cru_adjacency_graph(l->ctx, &l->task->graph, &(cru_adjacency){s->loops, CRU_NORM_NONE});
    *(cheb_net *)self = cheb_net_create(l, &graph, s->hidden, s->terms, cru_activations[s->activation]);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return cheb_net_logits(t, self, &l->x);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cheb_net, .build = build, .logits = logits),
    .name = "chebnet",
    .version = "1.0",
    .summary = "a convolution with Chebyshev polynomials of the Laplacian",
    .citation = "Defferrard, Bresson, Vandergheynst. Convolutional Neural Networks on Graphs with Fast Localized "
                "Spectral Filtering. NeurIPS 2016.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
