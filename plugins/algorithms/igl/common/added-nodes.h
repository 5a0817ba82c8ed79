// SPDX-License-Identifier: Apache-2.0
/* added-nodes.h: the loss of methods that add labelled nodes to minority classes. */
#ifndef IGL_ADDED_NODES_H
#define IGL_ADDED_NODES_H

#include <crucible/crucible.h>

/* The mean cross-entropy over the training nodes and `count` nodes more: rows of z after those of the task's nodes. */
cru_tensor *added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const int32_t *labels, int64_t count);

#endif
