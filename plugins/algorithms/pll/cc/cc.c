// SPDX-License-Identifier: Apache-2.0
/* cc: the probability of the whole candidate set is maximised.
 *
 *     L = -(1/B) sum_i w_i log sum_{k in S_i} p_ik,      w_i = 1, or (K - 1) / (K - |S_i|) with set_weight (LOG)
 *
 * as a difference of two log-sums of exponentials, finite for any logits. A set of all labels says nothing: its loss is
 * 0.
 *
 * Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama. Provably Consistent Partial-Label Learning. NeurIPS 2020; LOG: Feng,
 * Kaneko, Han, Niu, An, Sugiyama. Learning with Multiple Complementary Labels. ICML 2020. */
#include <crucible/draft/ops-basic.h>

#include "row-loss.h"

typedef struct settings {
    bool set_weight;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, set_weight, false, "weigh small sets more: the method LOG"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)self;
    const settings *s = l->settings;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    cru_tensor *inside = cru_add(t, z, cru_affine(t, batch->candidates, 1e30, -1e30)); /* others as good as -infinite */
    cru_tensor *all = cru_logsumexp(t, z, 1), *set = cru_logsumexp(t, inside, 1);
    cru_tensor *each = cru_as_matrix(t, cru_sub(t, all, set), -1, 1); /* b x 1 */
    if (s->set_weight) each = cru_mul(t, each, set_weights(t, batch, true));
    return cru_mean(t, each, CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, cru_no_model, .backbone = CRU_AT(settings, backbone), .batch_loss = batch_loss),
    .name = "cc",
    .version = "1.0",
    .summary = "partial labels: maximises the probability of the candidate set",
    .citation = "Feng, Lv, Han, Xu, Niu, Geng, An, Sugiyama. Provably Consistent Partial-Label Learning. NeurIPS 2020.",
    .categories = "partial labels, identification-based",
    OF_ROWS,
};
