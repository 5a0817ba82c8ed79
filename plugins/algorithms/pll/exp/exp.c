// SPDX-License-Identifier: Apache-2.0
/* exp: an exponential of the candidates' probability, weighted by what a set of that size says.
 *
 *     L = (1/B) sum_i (K - 1) / (K - |S_i|) exp(-sum_{k in S_i} p_ik)
 *
 * A set of all labels has an infinite weight, which makes every network weight NaN; the study's code does so (variant
 * bench), and its printed tables show it. Variant paper leaves such rows out.
 *
 * Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020. */
#include "row-loss.h"

static const cru_param schema[] = VARIANT_SCHEMA("a set of all labels: infinite weight, or left out");

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    const variant_settings *s = l->settings;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *each = cru_exp(t, cru_neg(t, row_sums(t, cru_mul(t, batch->candidates, p)))); /* b x 1 */
    cru_tensor *weights = set_weights(t, batch, s->variant == CRU_PAPER);
    return cru_mean(t, cru_mul(t, weights, each), CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(variant_settings, schema, cru_no_model, .backbone = CRU_AT(variant_settings, backbone),
               .batch_loss = batch_loss),
    .name = "exp",
    .version = "1.0",
    .summary = "partial labels: a bounded exponential of the mass on the candidates",
    .citation = "Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020.",
    .categories = "partial labels, identification-based",
    OF_ROWS,
};
