// SPDX-License-Identifier: Apache-2.0
/* whole-graphs.h: training and evaluation where the items are graphs. */
#ifndef SDK_TRAIN_WHOLE_GRAPHS_H
#define SDK_TRAIN_WHOLE_GRAPHS_H

#include <crucible/train.h>

/* Whether the method of a learner learns from minibatches of graphs, in cru_graphs_pass. */
bool graphs_in_batches(const cru_learner *l);

/* Whether the method of a learner computes any graphs it is given, and the items are graphs. */
bool graphs_in_steps(const cru_learner *l);

/* Scores of all items, or of those that count, into l->scores; some graphs at a time. */
cru_status graphs_evaluate(cru_learner *l);

#endif
