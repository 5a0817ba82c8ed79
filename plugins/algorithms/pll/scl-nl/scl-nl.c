// SPDX-License-Identifier: Apache-2.0
/* scl-nl: learns from the labels outside the candidate set, each a complementary label.
 *
 *     L = -(1/M) sum over the M pairs (i, k) with k not in S_i of  log(1 - p_ik + 1e-6)
 *
 * The mean is over pairs, so rows with few candidates weigh more. A batch without any pair is no step: it has no mean.
 *
 * Chou, Niu, Lin, Sugiyama. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with Complementary Labels.
 * ICML 2020. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    /* in two sums: 1 + 1e-6 would be rounded before p is taken from it */
    cru_tensor *rest = cru_log(t, cru_affine(t, cru_affine(t, p, -1, 1), 1, 1e-6));
    cru_tensor *mean = pair_mean(t, batch, rest);
    return mean ? cru_neg(t, mean) : NULL;
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "scl-nl",
    .version = "2.0",
    .summary = "partial labels: negative learning from the labels outside the candidate set",
    .citation = "Chou et al. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with Complementary Labels. "
                "ICML 2020.",
    OF_ROWS,
};
