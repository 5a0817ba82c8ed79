// SPDX-License-Identifier: Apache-2.0
/* jocor: two networks with one loss, which asks them to agree; large losses are left out.
 *
 *     l_n = (1 - lambda) (CE(z1_n) + CE(z2_n)) + lambda (KL(p2_n || p1_n) + KL(p1_n || p2_n))
 *     loss = mean of the floor((1 - f) |train|) smallest l_n
 *     f = forget_rate^exponent e / (num_gradual - 1) in epoch e < num_gradual, then forget_rate
 *
 * Gradients of both KL go to both networks. The first predicts. The paper's decay of the learning rate is not made.
 *
 * Wei, Feng, Chen, An. Combating Noisy Labels by Agreement: A Joint Training Method with Co-Regularization. CVPR
 * 2020. */
#include <math.h>

#include "noisy-labels.h"

typedef struct settings {
    int64_t num_gradual;
    double co_lambda, forget_rate, exponent;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, co_lambda, 0.1, 0, 1, "weight of the agreement, lambda"),
    CRU_FLOAT(settings, forget_rate, 0.2, 0, 1, "share of large losses to leave out"),
    CRU_INT(settings, num_gradual, 10, 1, 1e9, "epochs until that share is reached"),
    CRU_FLOAT(settings, exponent, 1, 0, 100, "of the share at which the rise ends"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

static double forgotten(const settings *s, int64_t epoch)
{
    if (epoch >= s->num_gradual) return s->forget_rate;
    return s->num_gradual == 1 ? 0 : pow(s->forget_rate, s->exponent) * (double)epoch / (double)(s->num_gradual - 1);
}

/* KL(softmax(a_n) || softmax(b_n)) per row */
static cru_tensor *divergence(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    cru_tensor *p = cru_softmax(t, a, 1);
    return cru_kl_each(t, p, cru_log_softmax(t, b, 1));
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *all)
{
    const twins *m = self;
    const settings *s = l->settings;
    cru_tensor *z1 = cru_gather(t, all, l->train_rows);
    cru_tensor *z2 = cru_gather(t, cru_gcn_stack_input(t, &m->second, l->adj, &l->x), l->train_rows);
    const cru_targets targets = {.labels = l->train_labels};
    cru_tensor *plain = cru_cross_entropy_each(t, z1, &targets);
    plain = cru_add(t, plain, cru_cross_entropy_each(t, z2, &targets));
    cru_tensor *apart = divergence(t, z2, z1);
    apart = cru_add(t, apart, divergence(t, z1, z2));
    cru_tensor *each = cru_as_matrix(t, cru_lerp(t, plain, apart, s->co_lambda), 1, l->train_rows.count);
    const int64_t kept = (int64_t)((1 - forgotten(s, l->epoch)) * (double)l->train_rows.count);
    return cru_mean(t, cru_bottomk(t, each, kept).values, CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, twins, .gcn = CRU_AT(settings, gcn), .labelled = true, .build = twins_build,
               .loss = loss),
    .name = "jocor",
    .version = "1.0",
    .summary = "two networks that agree, trained on their small joint losses",
    .citation = "Wei, Feng, Chen, An. Combating Noisy Labels by Agreement: A Joint Training Method with "
                "Co-Regularization. CVPR 2020.",
    .categories = "LLN, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
