// SPDX-License-Identifier: Apache-2.0
#include "row-loss.h"

const cru_param row_schema[] = {
    CRU_BACKBONE_SETTINGS(row_settings, backbone),
    CRU_STEP_SETTINGS(row_settings, train),
    CRU_END,
};

void target_build(cru_learner *l, void *model)
{
    ((target_model *)model)->q = cru_learner_candidate_shares(l);
}

cru_tensor *outside(cru_tape *t, const cru_batch *batch)
{
    return cru_affine(t, batch->candidates, -1, 1);
}

cru_tensor *row_sums(cru_tape *t, cru_tensor *x)
{
    return cru_as_matrix(t, cru_sum(t, x, 1), -1, 1);
}

cru_tensor *outside_count(cru_tape *t, const cru_batch *batch)
{
    return row_sums(t, outside(t, batch));
}

cru_tensor *pair_mean(cru_tape *t, const cru_batch *batch, cru_tensor *each)
{
    cru_tensor *pairs = outside(t, batch), *count = cru_sum(t, pairs, CRU_ALL);
    if (cru_tensor_item(t, count) == 0) return NULL;
    return cru_div(t, cru_sum(t, cru_mul(t, pairs, each), CRU_ALL), count);
}

cru_tensor *candidate_shares(cru_tape *t, const cru_batch *batch)
{
    return cru_normalize_l1(t, batch->candidates, 0);
}

cru_tensor *set_weights(cru_tape *t, const cru_batch *batch, bool skip_full)
{
    const double most = (double)(cru_tensor_cols(batch->candidates) - 1);
    cru_tensor *count = outside_count(t, batch), *one = cru_tensor_scalar(t, 1);
    if (!skip_full) return cru_scale(t, cru_reciprocal(t, count), most);
    cru_tensor *some = cru_minimum(t, count, one), *weight = cru_reciprocal(t, cru_maximum(t, count, one));
    return cru_scale(t, cru_mul(t, some, weight), most);
}

cru_tensor *suppression(cru_tape *t, cru_tensor *z, cru_tensor *sets)
{
    cru_tensor *off = cru_affine(t, sets, -1, 1);
    cru_tensor *rest = cru_log(t, cru_affine(t, cru_softmax(t, z, 1), -1, 1.0000001));
    return cru_scale(t, cru_sum(t, cru_mul(t, off, rest), CRU_ALL), -1 / (double)cru_tensor_rows(z));
}

void look_again(const cru_learner *l, cru_tape *t, const cru_input *x)
{
    const cru_backbone *backbone = &l->network.backbone;
    if (!backbone->resnet && !backbone->densenet) return; /* no batch norm: nothing would move */
    const bool recording = cru_tape_record(t, false);
    cru_backbone_apply(t, backbone, x);
    cru_tape_record(t, recording);
}
