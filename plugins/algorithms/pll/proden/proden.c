// SPDX-License-Identifier: Apache-2.0
/* proden: candidate labels as soft targets that the network sharpens.
 *
 *     L = -(1/B) sum_i sum_k q_ik log p_ik                q starts uniform on the candidate set S_i
 *     after the step:   q_ik = s_ik p'_ik / sum_l s_il p'_il         p' by the network after the step
 *
 * RC (Feng et al. 2020) has the same form. A row whose candidates all have probability 0 drops out until its next
 * visit.
 *
 * Lv, Xu, Feng, Niu, Geng, Sugiyama. Progressive Identification of True Labels for Partial-Label Learning. ICML
 * 2020. */
#include "row-loss.h"

typedef struct settings {
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    cru_tensor *q = cru_gather(t, m->q, batch->rows);
    return cru_soft_cross_entropy(t, cru_learner_classify(l, t, &batch->x), q);
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, cru_mul(t, batch->candidates, p), 1e-37));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, target_model, .build = target_build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state),
    .name = "proden",
    .version = "2.0",
    .summary = "partial labels: candidate weights that the network sharpens",
    .citation = "Lv et al. Progressive Identification of True Labels for Partial-Label Learning. ICML 2020.",
    OF_ROWS,
};
