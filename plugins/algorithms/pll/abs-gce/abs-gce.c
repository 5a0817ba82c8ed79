// SPDX-License-Identifier: Apache-2.0
/* abs-gce: generalised cross-entropy averaged over the candidate set.
 *
 *     L = (1/B) sum_i (1/|S_i|) sum_{k in S_i} (1 - p_ik^q) / q
 *
 * p^q by way of log softmax: the power itself has an infinite slope at p = 0, where the gradient's limit is 0.
 *
 * Lv, Liu, Feng, Xu, Xu, An, Niu, Geng, Sugiyama. On the Robustness of Average Losses for Partial-Label Learning.
 * TPAMI 2024. */
#include "row-loss.h"

typedef struct settings {
    double q;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, q, 0.7, 1e-3, 1, "exponent: towards 0 cross-entropy, 1 absolute error"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    const double q = ((const settings *)l->settings)->q;
    cru_tensor *logp = cru_log_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *power = cru_exp(t, cru_scale(t, logp, q));
    cru_tensor *mass = cru_sum(t, cru_mul(t, candidate_shares(t, batch), power), 1); /* b */
    return cru_affine(t, cru_mean(t, mass, CRU_ALL), -1 / q, 1 / q);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cru_no_model, .backbone = CRU_AT(settings, backbone), .batch_loss = batch_loss),
    .name = "abs-gce",
    .version = "1.0",
    .summary = "partial labels: generalised cross-entropy averaged over the candidates",
    .citation = "Lv, Liu, Feng, Xu, Xu, An, Niu, Geng, Sugiyama. On the Robustness of Average Losses for Partial-Label "
                "Learning. TPAMI 2024.",
    .categories = "partial labels, average-based",
    OF_ROWS,
};
