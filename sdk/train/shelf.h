// SPDX-License-Identifier: Apache-2.0
/* shelf.h: the weights that several rules choose in one training. */
#ifndef SDK_TRAIN_SHELF_H
#define SDK_TRAIN_SHELF_H

#include <crucible/train.h>

/* Keeps the weights of all nets for the rules that `verdict` names (CRU_KEEP_FOR). */
void shelf_keep(cru_learner *l, uint32_t verdict);

/* Nothing is kept for any rule. */
void shelf_forget(cru_learner *l);

#endif
