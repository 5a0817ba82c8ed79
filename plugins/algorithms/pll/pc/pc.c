// SPDX-License-Identifier: Apache-2.0
/* pc: every other class should score above a label outside the candidate set.
 *
 *     L = (K - 1)/M sum over the M pairs (i, k) with k not in S_i of  sum_j sigma(z_ik - z_ij)   - K (K - 1)/2 + (K - 1)
 *
 * Ishida, Niu, Hu, Sugiyama. Learning from Complementary Labels. NeurIPS 2017. */
#include "row-loss.h"

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    const int64_t classes = l->task->classes;
    const double k = (double)classes;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x), *sum = NULL;
    for (int64_t j = 0; j < classes; j++)
        sum = cru_plus(t, sum, 1, cru_sigmoid(t, cru_sub(t, z, cru_slice_cols(t, z, j, j + 1))));
    cru_tensor *mean = pair_mean(t, batch, sum);
    return mean ? cru_affine(t, mean, k - 1, k - 1 - k * (k - 1) / 2) : NULL;
}

CRU_PLUGIN = {
    ROW_LOSS(batch_loss),
    .name = "pc",
    .version = "1.0",
    .summary = "complementary labels: pairwise comparisons",
    .citation = "Ishida, Niu, Hu, Sugiyama. Learning from Complementary Labels. NeurIPS 2017.",
    .categories = "complementary labels",
    OF_ROWS,
};
