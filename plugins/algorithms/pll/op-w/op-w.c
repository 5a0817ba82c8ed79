// SPDX-License-Identifier: Apache-2.0
/* op-w: order-preserving loss with weights, on the labels outside the candidate set.
 *
 *     a = softmax(z) + 1e-18      b = softmax(-z) + 1e-18      h = softmax(1/b + 1)      w = a h + 1e-6
 *     L = -(1/M) sum over the M pairs (i, k) with k not in S_i of  w_ik log b_ik
 *
 * Nothing is held constant. h is nearly one-hot, so that the loss is tiny for most pairs and logits grow without bound.
 *
 * Liu, Cao, Zhang, Feng, An. Consistent Complementary-Label Learning via Order-Preserving Losses. AISTATS 2023. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    cru_tensor *a = cru_affine(t, cru_softmax(t, z, 1), 1, 1e-18);
    cru_tensor *b = cru_affine(t, cru_softmax(t, cru_neg(t, z), 1), 1, 1e-18);
    cru_tensor *h = cru_softmax(t, cru_affine(t, cru_reciprocal(t, b), 1, 1), 1);
    cru_tensor *w = cru_affine(t, cru_mul(t, a, h), 1, 1e-6), *logb = cru_log(t, b);
    cru_tensor *mean = pair_mean(t, batch, cru_mul(t, w, logb));
    return mean ? cru_neg(t, mean) : NULL;
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "op-w",
    .version = "1.0",
    .summary = "complementary labels: a weighted order-preserving loss",
    .citation =
        "Liu, Cao, Zhang, Feng, An. Consistent Complementary-Label Learning via Order-Preserving Losses. AISTATS 2023.",
    .categories = "complementary labels",
    OF_ROWS,
};
