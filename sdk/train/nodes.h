// SPDX-License-Identifier: Apache-2.0
/* nodes.h: training and evaluation on some of the nodes of one graph at a time. */
#ifndef SDK_TRAIN_NODES_H
#define SDK_TRAIN_NODES_H

#include <crucible/train.h>

/* After build, for a method with `nodes`. Failures are in the context. */
void nodes_open(cru_learner *l);

/* Whether the settings ask for minibatches of nodes; nodes_pass then is the default epoch. */
bool nodes_in_batches(const cru_learner *l);

/* One pass over the minibatches. Returns the mean loss of the steps, NAN for none; failures are in the context. */
double nodes_pass(cru_learner *l);

/* Whether the settings ask for scores of some nodes at a time. */
bool nodes_in_blocks(const cru_learner *l);

/* Scores of all nodes, or of those that count, into l->scores; each with all neighbours of every layer. */
cru_status nodes_evaluate(cru_learner *l);

#endif
