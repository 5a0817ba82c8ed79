// SPDX-License-Identifier: Apache-2.0
/* feed.h: where the minibatches of a learner come from. */
#ifndef SDK_TRAIN_FEED_H
#define SDK_TRAIN_FEED_H

#include <crucible/draft/augment.h>
#include <crucible/train.h>

typedef struct cru_feed {
    cru_batches batches;    /* over positions in split.train */
    cru_tensor *candidates; /* n x classes */
    cru_ids others;         /* all items but those to validate on */
    cru_rng views;
    cru_pixels pixels; /* of images; channels 0 otherwise */
} cru_feed;

/* The candidate sets of some items as 0/1, items.count x classes: an observed label is a set of one. */
void feed_candidates(const cru_task *task, cru_ids items, float *sets);

/* Before the method's build. Failures are in the context. */
cru_feed *feed_create(cru_learner *l);

/* Items undistorted, in this step of the tape. */
cru_input feed_items(cru_learner *l, cru_ids items);

/* Learns from the loss of a batch that was just computed, unless it is NULL, and tells the method: backward, optimiser,
 * after_step. Returns the loss, 0 for NULL; NAN after a failure, which is in the context. */
double batch_step(cru_learner *l, const cru_batch *batch, cru_tensor *loss);

/* Fails the trial because the hook of that name returned NULL, unless it failed with words of its own. */
void learner_gave_nothing(cru_learner *l, const char *hook);

/* Trains in steps; the weights stay the last ones. */
cru_status steps_fit(cru_learner *l, cru_monitor *monitor);

/* Scores of all items, or of those to validate on where only they count, into l->scores, some at a time. What is scored
 * together does not depend on which are wanted, and so the score of an item does not, to the last bit. */
cru_status steps_evaluate(cru_learner *l);

#endif
