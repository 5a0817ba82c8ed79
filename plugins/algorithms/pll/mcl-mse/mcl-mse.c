// SPDX-License-Identifier: Apache-2.0
/* mcl-mse: the risk of sets of complementary labels (multiple-complementary.h) with the squared error
 *
 *     l_k = |p - e_k|^2 = sum_j p_j^2 - 2 p_k + 1
 *
 * Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020. */
#include "multiple-complementary.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *length = row_sums(t, cru_square(t, p)); /* b x 1 */
    return complementary_risk(l, t, batch, cru_add(t, cru_affine(t, p, -2, 1), length));
}

CRU_PLUGIN = {
    COMPLEMENTARY_LOSS(batch_loss),
    .name = "mcl-mse",
    .version = "1.0",
    .summary = "complementary labels: the unbiased risk with the squared error",
    .citation = "Feng, Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020.",
    .categories = "complementary labels",
    OF_ROWS,
};
