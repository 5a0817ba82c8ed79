// SPDX-License-Identifier: Apache-2.0
/* cll-nn: the risk of every class from complementary labels (class-risks.h), none below -beta.
 *
 *     L = sum_j max(v_j, -beta)
 *
 * Ishida, Niu, Menon, Sugiyama. Complementary-Label Learning for Arbitrary Losses and Models. ICML 2019. */
#include "class-risks.h"

typedef struct settings {
    double beta;
    int64_t variant;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, beta, 0, 0, CRU_NO_MAX, "a class may cost as little as -beta"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "priors of the target class, or of the complementary class"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const settings *s = l->settings;
    cru_tensor *counts, *v = class_risks(l, self, t, batch, (cru_variant)s->variant, &counts);
    if (!v) return NULL;
    return cru_sum(t, cru_maximum(t, v, cru_tensor_scalar(t, -s->beta)), CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, class_risk_model, .backbone = CRU_AT(settings, backbone), .build = class_risks_build,
               .batch_loss = batch_loss),
    .name = "cll-nn",
    .version = "1.0",
    .summary = "complementary labels: class risks held non-negative",
    .citation =
        "Ishida, Niu, Menon, Sugiyama. Complementary-Label Learning for Arbitrary Losses and Models. ICML 2019.",
    .categories = "complementary labels",
    OF_ROWS,
};
