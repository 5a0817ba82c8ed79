// SPDX-License-Identifier: Apache-2.0
/* transition.h: losses corrected by an estimate of how labels were changed (Patrini et al., CVPR 2017). */
#ifndef PLUGINS_TRANSITION_H
#define PLUGINS_TRANSITION_H

#include "noisy-labels.h"

/* The network that the transition is estimated from, and for how long it learns. */
typedef struct estimator {
    cru_net *net; /* not the learner's: trained and used once */
    cru_tensor *(*logits)(cru_learner *l, void *model, cru_tape *t);
    int64_t epochs;
} estimator;

/* Trains it and writes the transition, classes x classes: anchors are searched in its logits with dropout, the rows are
 * read from those without. */
void estimate_transition(cru_learner *l, const estimator *e, cru_tensor *transition);

/* - 1 / (|train| C) sum over training items n and classes k of K[label of n, k] log softmax(z_n)_k, where K is the
 * pseudo-inverse of the transition, computed in double. The division by C, too, is the benchmark's. */
cru_tensor *backward_corrected(cru_learner *l, cru_tape *t, cru_tensor *z, const cru_tensor *transition);

/* As "transition", row = class before, column = class after. */
void report_transition(cru_learner *l, cru_report *report, const cru_tensor *transition);

#endif
