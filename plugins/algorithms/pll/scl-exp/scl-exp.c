// SPDX-License-Identifier: Apache-2.0
/* scl-exp: learns from the labels outside the candidate set by an exponential of their probability.
 *
 *     L = (1/M) sum over the M pairs (i, k) with k not in S_i of  exp(p_ik)
 *
 * Chou, Niu, Lin, Sugiyama. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with Complementary Labels.
 * ICML 2020. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    return pair_mean(t, batch, cru_exp(t, p));
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "scl-exp",
    .version = "1.0",
    .summary = "complementary labels: an exponential surrogate",
    .citation = "Chou, Niu, Lin, Sugiyama. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with "
                "Complementary Labels. ICML 2020.",
    .categories = "complementary labels",
    OF_ROWS,
};
