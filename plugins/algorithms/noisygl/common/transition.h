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

/* A method of two GCNs: the first, which is trained and used once, estimates the transition; the second is the
 * learner's, and what corrects its loss is the method's own. */
typedef struct corrected_settings {
    int64_t pretrain;
    cru_gcn_settings gcn;
    cru_train train;
} corrected_settings;

typedef struct corrected {
    cru_net *first_net;
    cru_gcn_stack first;
    cru_tensor *transition; /* classes x classes */
} corrected;

extern const cru_param corrected_schema[];
void corrected_build(cru_learner *l, void *self);
void corrected_prepare(cru_learner *l, void *self);
void corrected_report(cru_learner *l, void *self, cru_report *report);

/* The first entries of its CRU_PLUGIN. */
#define CORRECTED_METHOD(loss_)                                                                                        \
    CRU_METHOD(corrected_settings, corrected_schema, corrected, .gcn = CRU_AT(corrected_settings, gcn),                \
               .labelled = true, .build = corrected_build, .prepare = corrected_prepare, .state = cru_no_state,        \
               .loss = (loss_), .report = corrected_report)
#define CORRECTED_CITATION                                                                                             \
    "Patrini, Rozza, Menon, Nock, Qu. Making Deep Neural Networks Robust to Label Noise: a Loss Correction Approach. " \
    "CVPR 2017."

#endif
