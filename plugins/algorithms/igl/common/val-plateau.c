// SPDX-License-Identifier: Apache-2.0
#include "val-plateau.h"

val_plateau val_plateau_create(const cru_learner *learner, int64_t patience)
{
    const cru_ids val = learner->task->split.val;
    int32_t *labels = cru_ctx_alloc(learner->ctx, val.count, sizeof *labels);
    for (int64_t i = 0; i < val.count; i++) labels[i] = learner->task->labels[val.ids[i]];
    return (val_plateau){.rule = {.factor = 0.5, .threshold = 1e-4, .patience = patience},
                         .rows = cru_index_create(learner->ctx, val.ids, val.count),
                         .labels = cru_index_create(learner->ctx, labels, val.count)};
}

void val_plateau_step(cru_learner *learner, val_plateau *plateau, cru_tape *t)
{
    if (learner->epoch == 0 || !plateau->rows.count) return;
    cru_tensor *z = cru_tensor_upload(t, cru_2d(learner->task->items, learner->task->classes), learner->scores);
    cru_tensor *loss = cru_cross_entropy(t, z, &(cru_targets){.rows = &plateau->rows, .labels = plateau->labels});
    const double value = (double)cru_tensor_item(t, loss);
    cru_optim_set_lr(learner->optim, cru_plateau_step(&plateau->rule, cru_optim_lr(learner->optim), value));
}
