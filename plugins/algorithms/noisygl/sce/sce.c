// SPDX-License-Identifier: Apache-2.0
/* sce: cross-entropy, and cross-entropy with prediction and label exchanged.
 *
 *     loss = alpha CE + beta R      means over training items n with label y_n
 *     paper: R = mean of - sum_k p_nk log y_nk      (reverse_cross_entropy)
 *     bench: R = mean of - log clamp(z_n[y_n], 1e-4, 1): the benchmark clamps logits where probabilities are meant
 *
 * Wang, Ma, Chen, Luo, Yi, Bailey. Symmetric Cross Entropy for Robust Learning with Noisy Labels. ICCV 2019. */
#include "robust-losses.h"

typedef struct settings {
    int64_t variant;
    double alpha, beta;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: clamped logits instead of the reverse cross-entropy"),
    CRU_FLOAT(settings, alpha, 0.1, 0, CRU_NO_MAX, "weight of the cross-entropy"),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "weight of the reverse term"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 5e-4),
    CRU_END,
};

static cru_tensor *clamped_logits(cru_tape *t, cru_tensor *z, cru_index labels)
{
    cru_tensor *own = cru_clamp(t, cru_pick(t, z, labels), 1e-4, 1);
    return cru_neg(t, cru_mean(t, cru_log(t, own), CRU_ALL));
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *all)
{
    (void)self;
    const settings *s = l->settings;
    cru_tensor *z = cru_gather(t, all, l->train_rows);
    cru_tensor *plain = cru_cross_entropy(t, z, &(cru_targets){.labels = l->train_labels});
    cru_tensor *reverse =
        s->variant == CRU_PAPER ? reverse_cross_entropy(t, z, l->train_labels) : clamped_logits(t, z, l->train_labels);
    return cru_plus(t, cru_scale(t, plain, s->alpha), s->beta, reverse);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cru_no_model, .gcn = CRU_AT(settings, gcn), .labelled = true, .loss = loss),
    .name = "sce",
    .version = "1.0",
    .summary = "symmetric cross-entropy",
    .citation = "Wang, Ma, Chen, Luo, Yi, Bailey. Symmetric Cross Entropy for Robust Learning with Noisy Labels. ICCV "
                "2019.",
    .categories = "LLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
