// SPDX-License-Identifier: Apache-2.0
/* l-w: a weighted log loss of the complement of the prediction, on the labels outside the candidate set.
 *
 *     r = 1 - p      Q = softmax(r)      w = r / sum_j r_j
 *     L = -(1/M) sum over the M pairs (i, k) with k not in S_i of  (1 + w_ik) log Q_ik
 *
 * Nothing is held constant: the gradient goes through w, too.
 *
 * Gao, Zhang. Discriminative Complementary-Label Learning with Weighted Loss. ICML 2021. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *r = cru_affine(t, cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1), -1, 1);
    cru_tensor *logq = cru_log_softmax(t, r, 1), *w = cru_div(t, r, row_sums(t, r));
    cru_tensor *mean = pair_mean(t, batch, cru_mul(t, cru_affine(t, w, 1, 1), logq));
    return mean ? cru_neg(t, mean) : NULL;
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "l-w",
    .version = "1.0",
    .summary = "complementary labels: a weighted log loss of the complement",
    .citation = "Gao, Zhang. Discriminative Complementary-Label Learning with Weighted Loss. ICML 2021.",
    .categories = "complementary labels",
    OF_ROWS,
};
