// SPDX-License-Identifier: Apache-2.0
/* abs-mae: the mean absolute error over the candidate set, each candidate with the same weight.
 *
 *     L = (1/B) sum_i (1/|S_i|) sum_{k in S_i} |p_i - e_k|_1 = (2/B) sum_i (1 - (1/|S_i|) sum_{k in S_i} p_ik)
 *
 * Lv, Liu, Feng, Xu, Xu, An, Niu, Geng, Sugiyama. On the Robustness of Average Losses for Partial-Label Learning.
 * TPAMI 2024. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *mass = cru_sum(t, cru_mul(t, candidate_shares(t, batch), p), 1); /* b */
    return cru_affine(t, cru_mean(t, mass, CRU_ALL), -2, 2);
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "abs-mae",
    .version = "1.0",
    .summary = "partial labels: mean absolute error averaged over the candidates",
    .citation = "Lv, Liu, Feng, Xu, Xu, An, Niu, Geng, Sugiyama. On the Robustness of Average Losses for Partial-Label "
                "Learning. TPAMI 2024.",
    .categories = "partial labels, average-based",
    OF_ROWS,
};
