/* added-nodes.h: class sizes, and the loss of methods that add labelled nodes to minority classes. */
#ifndef IGL_ADDED_NODES_H
#define IGL_ADDED_NODES_H

#include <crucible/crucible.h>

/* Training items of each class, in memory of the context. */
int64_t *class_sizes(cru_ctx *ctx, const cru_task *task);

/* The mean cross-entropy over the training nodes and `count` nodes more: rows of z after those of the task's nodes. */
cru_tensor *added_loss(const cru_learner *learner, cru_tape *t, cru_tensor *z, const int32_t *labels, int64_t count);

#endif
