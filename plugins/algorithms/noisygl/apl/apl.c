// SPDX-License-Identifier: Apache-2.0
/* apl: a loss that pulls the label's class up and one that pushes the others down, both tolerant to noise.
 *
 *     loss = alpha NCE + beta RCE      means over training items n with label y_n
 *     NCE = log p_n[y_n] / sum_k log p_nk      p = softmax(z)      RCE = reverse_cross_entropy
 *
 * Ma, Huang, Wang, Romano, Erfani, Bailey. Normalized Loss Functions for Deep Learning with Noisy Labels. ICML 2020. */
#include "robust-losses.h"

typedef struct settings {
    double alpha, beta;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 1, 0, CRU_NO_MAX, "weight of the normalised cross-entropy"),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "weight of the reverse cross-entropy"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *all)
{
    (void)self;
    const settings *s = l->settings;
    cru_tensor *z = cru_gather(t, all, l->train_rows), *q = cru_log_softmax(t, z, 1);
    cru_tensor *own = cru_pick(t, q, l->train_labels), *sum = cru_sum(t, q, 1);
    cru_tensor *active = cru_mean(t, cru_div(t, own, sum), CRU_ALL);
    cru_tensor *passive = reverse_cross_entropy(t, z, l->train_labels);
    return cru_plus(t, cru_scale(t, active, s->alpha), s->beta, passive);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cru_no_model, .gcn = CRU_AT(settings, gcn), .labelled = true, .loss = loss),
    .name = "apl",
    .version = "1.0",
    .summary = "an active and a passive loss: normalised and reverse cross-entropy",
    .citation =
        "Ma, Huang, Wang, Romano, Erfani, Bailey. Normalized Loss Functions for Deep Learning with Noisy Labels. "
        "ICML 2020.",
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
