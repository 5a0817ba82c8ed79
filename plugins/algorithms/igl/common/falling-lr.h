// SPDX-License-Identifier: Apache-2.0
/* falling-lr.h: a learning rate that falls by a factor from epoch to epoch, down to a floor.
 *
 *     lr_t = max(lr_floor, lr lr_decay^(t - decay_after))      for epochs t > decay_after, counted from 1
 *
 * A floor above lr itself counts as lr. */
#ifndef IGL_FALLING_LR_H
#define IGL_FALLING_LR_H

#include <crucible/crucible.h>

typedef struct falling_lr {
    double decay, floor;
    int64_t after;
} falling_lr;

/* Entries of a schema for a falling_lr member. */
#define FALLING_LR_SETTINGS(type_, member_, decay_, after_)                                                            \
    CRU_FLOAT_KEY(type_, "lr_decay", member_.decay, decay_, 0, 1,                                                      \
                  "factor of the learning rate from epoch to epoch; 1: none"),                                         \
        CRU_INT_KEY(type_, "decay_after", member_.after, after_, 0, 1e9, "epochs before it begins to fall"),           \
        CRU_FLOAT_KEY(type_, "lr_floor", member_.floor, 1e-4, 0, CRU_NO_MAX, "below which it does not fall")

/* cru_method.after_epoch, the rate of the next epoch: of methods whose settings begin with a falling_lr. */
void falling_lr_after_epoch(cru_learner *learner, void *model);

#endif
