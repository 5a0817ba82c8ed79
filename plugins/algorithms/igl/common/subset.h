// SPDX-License-Identifier: Apache-2.0
/* subset.h: some nodes with labels, which a part of a method learns from or is judged by. */
#ifndef IGL_SUBSET_H
#define IGL_SUBSET_H

#include <crucible/crucible.h>

typedef struct subset {
    int32_t *nodes, *labels;
    int64_t count;
} subset;

/* Those of `from` that have an observed label, with it; in the context. */
subset subset_labelled(const cru_learner *learner, cru_ids from);

/* The mean cross-entropy of rows `nodes` of z. */
cru_tensor *subset_loss(cru_tape *t, cru_tensor *z, const subset *a);

/* Macro-F1 of the largest entry of each of these rows, over the classes that occur among labels or predictions; 0 for
 * none. */
double subset_f1(cru_tape *t, cru_tensor *z, const subset *a);

/* (macro recall + accuracy) / 2 of the largest entries of these rows, recall over the classes that occur among labels;
 * 0 for none. */
double subset_balance(cru_tape *t, cru_tensor *z, const subset *a);

#endif
