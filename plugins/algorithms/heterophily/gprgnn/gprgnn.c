// SPDX-License-Identifier: Apache-2.0
/* gprgnn: predict with a perceptron, then mix the prediction's K-hop averages with learned weights of any sign.
 *
 *     H = Drop(MLP(Drop(X)))      logits = sum_k gamma_k Â^k H      k = 0 .. K
 *
 * gamma starts as
 *     ppr     alpha (1 - alpha)^k, the last one (1 - alpha)^K: the sum is 1
 *     nppr    alpha^k over the sum of their absolute values
 *     random  U(-s, s) with s = sqrt(3 / (K + 1)), over the sum of absolute values
 *     one     1 at hop alpha, a whole number, and 0 elsewhere: with alpha = K that is sgc
 * and is not decayed.
 *
 * Chien, Peng, Li, Milenkovic. Adaptive Universal Generalized PageRank Graph Neural Network. ICLR 2021. */
#include <math.h>

#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, hidden, hops, start;
    double alpha, dropout, hop_dropout;
    cru_adjacency adjacency;
    cru_train train;
} settings;

typedef enum start { PPR, NPPR, RANDOM, ONE } start;
static const char *const starts[] = {"ppr", "nppr", "random", "one", NULL};

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 0.9, 0, 1000, "of the start of gamma, up to 1; start = one: the hop",
              .search = CRU_ONE_OF(0.1, 0.2, 0.5, 0.9)),
    CRU_CHOICE(settings, start, PPR, starts, "how gamma starts"),
    CRU_INT(settings, hops, 10, 0, 1000, "longest hop K"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "linear layers of the perceptron"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the features and after each activation",
              .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, hop_dropout, 0.5, 0, 0.99, "of the prediction before it is propagated"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.002, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_mlp mlp;
    cru_tensor *gamma; /* K + 1 */
} model;

static void first_gamma(const settings *s, cru_rng rng, float *gamma)
{
    const double a = s->alpha, bound = sqrt(3.0 / (double)(s->hops + 1));
    double sum = 0;
    for (int64_t k = 0; k <= s->hops; k++) {
        double g = (double)k == a; /* ONE */
        if (s->start == PPR) g = pow(1 - a, (double)k) * (k == s->hops ? 1 : a);
        if (s->start == NPPR) g = pow(a, (double)k);
        if (s->start == RANDOM) g = bound * (2 * cru_rng_uniform(&rng) - 1);
        gamma[k] = (float)g;
        sum += fabs(g);
    }
    if (s->start == PPR || s->start == ONE) return;
    for (int64_t k = 0; k <= s->hops; k++) gamma[k] = (float)((double)gamma[k] / sum);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const bool hop = s->alpha == floor(s->alpha) && s->alpha <= (double)s->hops;
    if (s->start == ONE ? !hop : s->alpha > 1)
        cru_ctx_fail(l->ctx, CRU_BAD_INPUT, "alpha = %g is no %s", s->alpha,
                     s->start == ONE ? "hop of 0 .. hops" : "probability; only start = one takes a hop");
    float *gamma = cru_ctx_alloc(l->ctx, s->hops + 1, sizeof *gamma);
    first_gamma(s, cru_ctx_stream(l->ctx, "gamma"), gamma);
    m->mlp = cru_mlp_create(l->net, "mlp",
                            &(cru_mlp_shape){.in = l->x.cols,
                                             .hidden = s->hidden,
                                             .out = l->task->classes,
                                             .layers = s->layers,
                                             .dropout = s->dropout,
                                             .input_dropout = true});
    cru_net *filter = cru_learner_net(l, "filter"); /* for a decay of its own: none */
    m->gamma =
        cru_net_weight(filter, "gamma", cru_1d(s->hops + 1), (cru_init){.kind = CRU_INIT_VALUES, .values = gamma});
    l->optim = cru_learner_optim(l, &l->net, 1);
    cru_optim_add(l->optim, filter, &(cru_optim_group){.own_decay = true});
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor **hop = cru_tape_alloc(t, s->hops + 1, sizeof *hop); /* Â^k H, n x c */
    hop[0] = cru_dropout(t, cru_mlp_input(t, &m->mlp, &l->x), s->hop_dropout);
    for (int64_t k = 1; k <= s->hops; k++) hop[k] = cru_spmm(t, l->adj, hop[k - 1]);
    return cru_mix(t, hop, s->hops + 1, m->gamma);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "gprgnn",
    .version = "2.0",
    .summary = "predict, then mix hops with learned weights",
    .citation = "Chien, Peng, Li, Milenkovic. Adaptive Universal Generalized PageRank Graph Neural Network. ICLR 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
