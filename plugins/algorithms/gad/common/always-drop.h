// SPDX-License-Identifier: Apache-2.0
/* always-drop.h: dropout of methods whose study left it on while judging. */
#ifndef GAD_ALWAYS_DROP_H
#define GAD_ALWAYS_DROP_H

#include <crucible/crucible.h>

/* In train mode cru_dropout. In eval mode x times a mask of the epoch and the `place` in the model, below
 * CRU_MAX_LAYERS, so that a repeated prediction is the same. */
cru_tensor *always_drop(cru_learner *l, cru_tape *t, cru_tensor *x, double p, int64_t place);

#endif
