// SPDX-License-Identifier: Apache-2.0
/* draft/train.h: further parts for methods that write their own epoch. Continues train.h. */
#ifndef CRUCIBLE_DRAFT_TRAIN_H
#define CRUCIBLE_DRAFT_TRAIN_H

#include <crucible/train.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- parts for methods that write their own epoch -------------------------------------------------------- */

/* The method's logits of all items. */
CRU_API cru_tensor *cru_learner_logits(cru_learner *learner, cru_tape *t);

/* The weights that the monitor chose so far are not kept: those that it chooses from here on predict, or the last ones.
 * The monitor remembers what it saw, so that only what is better than all epochs so far is chosen. For a method with
 * epochs that must not predict. */
CRU_API void cru_learner_forget(cru_learner *learner);

/* Evaluates, reports to the monitor, keeps the weights when told to. False: stop. */
CRU_API bool cru_learner_report(cru_learner *learner, cru_monitor *monitor, double loss);

/* ---- minibatches of nodes --------------------------------------------------------------------------------- */

/* cru_hop_own of the features. */
CRU_API cru_input cru_hop_own_input(cru_tape *t, const cru_hop *hop, const cru_input *x);

/* cru_gcn_stack_input over the hops; notes the hidden layer of the items (cru_represent). */
CRU_API cru_tensor *cru_graphs_stack(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs,
                                     const cru_input *x);

/* cru_gin_stack_input over the hops. */
CRU_API cru_tensor *cru_graphs_gin(cru_tape *t, const cru_gin_stack *stack, const cru_graphs *graphs,
                                   const cru_input *x);

/* ---- parts for methods over graphs ----------------------------------------------------------------------- */

/* What a stack of convolutions makes of g->adj and x, as the logits of `forward`: nothing may follow it. Where only the
 * training items count, as in an epoch with the default loss, the last convolution leaves out all other rows; same
 * bits. */
CRU_API cru_tensor *cru_graphs_logits(cru_tape *t, const cru_gcn_stack *stack, const cru_graphs *graphs,
                                      const cru_input *x);

/* One pass over learner->batches, the training graphs in minibatches unless build put others there: batch_loss or the
 * default loss, a step, after_step. The default epoch of whole graphs. Returns the mean loss of the steps made, NAN for
 * none; failures are in the context. */
CRU_API double cru_graphs_pass(cru_learner *learner);

/* Scores of graphs, graphs.count x classes, in this step of the tape. */
typedef cru_tensor *(*cru_graph_scorer)(cru_learner *l, void *user, cru_tape *t, cru_ids graphs);

/* For `logits` of a method whose score of a graph depends on those computed with it, so that it should predict in
 * batches as it learns: all graphs in batches of the settings' size, first the validation part, then the test part,
 * then the others, each part in batches of its own. items x classes; while only validation counts, the rows of other
 * graphs are 0, and those of validation graphs are as if all counted. `user` goes to `score`. */
CRU_API cru_tensor *cru_graphs_in_turn(cru_learner *learner, cru_tape *t, cru_graph_scorer score, void *user);

#ifdef __cplusplus
}
#endif
#endif
