// SPDX-License-Identifier: Apache-2.0
/* draft/minibatch.h: batches and steps by hand. Continues minibatch.h. */
#ifndef CRUCIBLE_DRAFT_MINIBATCH_H
#define CRUCIBLE_DRAFT_MINIBATCH_H

#include <crucible/minibatch.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- shuffled passes ------------------------------------------------------------------------------------------- */

/* Batches in one pass. */
CRU_API int64_t cru_batches_per_pass(const cru_batches *batches);

/* ---- parts, for methods and tests ------------------------------------------------------------------------------ */

/* A batch of the given training items, by their positions in split.train, in this step of the learner's tape. The
 * views are drawn from the learner's stream of views. `rows` must outlive the step. */
CRU_API cru_batch cru_learner_batch(struct cru_learner *learner, cru_ids rows);

/* One step with the given training items: batch, loss, backward, optimiser, after_step. Returns the loss, 0
 * when the method had none; failures, after which it is NAN, are in the context. */
CRU_API double cru_learner_train_batch(struct cru_learner *learner, cru_ids rows);

#ifdef __cplusplus
}
#endif
#endif
