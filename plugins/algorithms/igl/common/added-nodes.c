// SPDX-License-Identifier: Apache-2.0
#include "added-nodes.h"

cru_tensor *added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const int32_t *labels, int64_t count)
{
    const cru_task *task = learner->task;
    const cru_ids train = task->split.train;
    const int64_t all = train.count + count;
    int32_t *rows = cru_tape_alloc(t, all, sizeof *rows), *classes = cru_tape_alloc(t, all, sizeof *classes);
    for (int64_t i = 0; i < all; i++) {
        const int64_t k = i - train.count; /* the added node, if not negative */
        rows[i] = k < 0 ? train.ids[i] : (int32_t)(task->nodes + k);
        classes[i] = k < 0 ? task->labels[train.ids[i]] : labels[k];
    }
    const cru_index chosen = cru_index_step(t, rows, all);
    return cru_cross_entropy(t, z, &(cru_targets){.rows = &chosen, .labels = cru_index_step(t, classes, all)});
}
