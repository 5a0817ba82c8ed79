// SPDX-License-Identifier: Apache-2.0
/* val-plateau.h: a learning rate that halves when the validation loss has not improved for a while. */
#ifndef IGL_VAL_PLATEAU_H
#define IGL_VAL_PLATEAU_H

#include <crucible/crucible.h>

typedef struct val_plateau {
    cru_plateau rule;
    cru_index rows, labels; /* of the validation part */
} val_plateau;

val_plateau val_plateau_create(const cru_learner *learner, int64_t patience);

/* In an epoch after its step: goes by the validation loss before it, which the last evaluation holds. */
void val_plateau_step(cru_learner *learner, val_plateau *plateau, cru_tape *t);

#endif
