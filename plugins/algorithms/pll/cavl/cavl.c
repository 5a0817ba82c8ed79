// SPDX-License-Identifier: Apache-2.0
/* cavl: the label whose class activation value is highest becomes the target of the row's next visit.
 *
 *     L = -(1/B) sum_i sum_k q_ik log p_ik                q starts uniform on the candidate set S_i
 *     after the step:   v_ik = z'_ik |1 - z'_ik| s_ik,    q_i = one-hot(argmax_k v_ik)         z' by the network after the step
 *
 * Labels outside the set stand in the maximum with 0 and win where all candidates' values are negative; so in the
 * authors' and the study's code (variant bench). Variant paper takes the maximum over the candidates.
 *
 * Zhang, Feng, Han, Liu, Niu, Qin, Sugiyama. Exploiting Class Activation Value for Partial-Label Learning. ICLR
 * 2022. */
#include "row-loss.h"

static const cru_param schema[] = VARIANT_SCHEMA("the highest value among all labels, or among the candidates");

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    return cru_soft_cross_entropy(t, z, cru_gather(t, m->q, batch->rows));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    const variant_settings *s = l->settings;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    cru_tensor *v = cru_mul(t, cru_mul(t, z, cru_abs(t, cru_affine(t, z, -1, 1))), batch->candidates);
    if (s->variant == CRU_PAPER) v = cru_add(t, v, cru_affine(t, batch->candidates, 1e30, -1e30));
    cru_put_rows(t, m->q, batch->rows, cru_one_hot(t, cru_argmax(t, v), l->task->classes));
}

CRU_PLUGIN = {
    CRU_METHOD(variant_settings, schema, target_model, .backbone = CRU_AT(variant_settings, backbone),
               .build = target_build, .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state),
    .name = "cavl",
    .version = "1.0",
    .summary = "partial labels: the highest class activation value becomes the label",
    .citation = "Zhang et al. Exploiting Class Activation Value for Partial-Label Learning. ICLR 2022.",
    .categories = "partial labels, identification-based",
    OF_ROWS,
};
