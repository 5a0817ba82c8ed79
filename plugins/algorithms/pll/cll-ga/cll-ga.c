// SPDX-License-Identifier: Apache-2.0
/* cll-ga: the risk of every class from complementary labels (class-risks.h), with gradient ascent where it is negative.
 *
 *     u_j = c_j v_j,  c_j the number of pairs of class j in the batch
 *     some u_j < 0:  U = sum_j min(u_j, 0), and the step goes up: its gradient is that of -U
 *     otherwise:     L = sum_j v_j
 *
 * The loss that is told is U or L.
 *
 * Ishida, Niu, Menon, Sugiyama. Complementary-Label Learning for Arbitrary Losses and Models. ICML 2019. */
#include "class-risks.h"

static const cru_param schema[] = VARIANT_SCHEMA("priors of the target class, or of the complementary class");

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const variant_settings *s = l->settings;
    cru_tensor *counts, *v = class_risks(l, self, t, batch, (cru_variant)s->variant, &counts);
    if (!v) return NULL;
    cru_tensor *u = cru_mul(t, counts, v);
    if (!(cru_tensor_item(t, cru_min(t, u, 0)) < 0)) return cru_sum(t, v, CRU_ALL);
    cru_tensor *below = cru_sum(t, cru_minimum(t, u, cru_tensor_scalar(t, 0)), CRU_ALL);
    return cru_sub(t, cru_scale(t, cru_detach(t, below), 2), below); /* the value of U with the slope of -U */
}

CRU_PLUGIN = {
    CRU_METHOD(variant_settings, schema, class_risk_model, .backbone = CRU_AT(variant_settings, backbone),
               .build = class_risks_build, .batch_loss = batch_loss),
    .name = "cll-ga",
    .version = "1.0",
    .summary = "complementary labels: class risks with gradient ascent",
    .citation =
        "Ishida, Niu, Menon, Sugiyama. Complementary-Label Learning for Arbitrary Losses and Models. ICML 2019.",
    .categories = "complementary labels",
    OF_ROWS,
};
