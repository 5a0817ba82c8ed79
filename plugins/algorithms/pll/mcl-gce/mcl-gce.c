// SPDX-License-Identifier: Apache-2.0
/* mcl-gce: the risk of sets of complementary labels (multiple-complementary.h) with the generalised cross-entropy
 *
 *     l_k = (1 - p_k^0.7) / 0.7
 *
 * Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020. */
#include "multiple-complementary.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    const double q = 0.7;
    cru_tensor *logp = cru_log_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *power = cru_exp(t, cru_scale(t, logp, q));
    return complementary_risk(l, t, batch, cru_affine(t, power, -1 / q, 1 / q));
}

CRU_PLUGIN = {
    COMPLEMENTARY_LOSS(batch_loss),
    .name = "mcl-gce",
    .version = "1.0",
    .summary = "complementary labels: the unbiased risk with generalised cross-entropy",
    .citation = "Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020.",
    .categories = "complementary labels",
    OF_ROWS,
};
