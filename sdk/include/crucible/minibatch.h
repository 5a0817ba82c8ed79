// SPDX-License-Identifier: Apache-2.0
/* minibatch.h: training in steps on minibatches of rows or images.
 *
 * A method that fills `classify` in its cru_method (train.h) is trained in steps instead of epochs: every step takes
 * the next minibatch, asks the method for its loss, steps the optimiser and tells the method. All that it writes is
 *
 *     classify(l, model, t, x)            scores of any rows; or .backbone, and the settings choose a network
 *     batch_loss(l, model, t, batch)      what to minimise; default: cru_learner_batch_loss of the scores
 *     after_step(l, model, t, batch)      tables to update; optional
 *
 * Batches come from shuffled passes over the training items; an incomplete last batch is left out. The method is
 * evaluated and reported to the monitor after the steps 0, every, 2 every, ... and after the last one; where train.h
 * speaks of epochs (learner->epoch, the monitor's limits) it means steps.
 *
 * A batch has a row for every item, in the same order in all its members. Tables that a method keeps for the training
 * items have one row for each, in the order of task->split.train; `rows` tells which of them the batch holds:
 *
 *     cru_tensor *q = cru_gather(t, m->q, batch->rows);                 // b x classes
 *     cru_put_rows(t, m->q, batch->rows, better); */
#ifndef CRUCIBLE_MINIBATCH_H
#define CRUCIBLE_MINIBATCH_H

#include <crucible/nn.h>
#include <crucible/params.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- what a batch holds -------------------------------------------------------------------------------------- */

/* Distorted copies of an image; of a row that is not an image every view is the row itself (augment.h). Bits. */
typedef enum cru_view {
    CRU_VIEW_WEAK = 1,    /* flip, shift */
    CRU_VIEW_STRONG = 2,  /* crop and resize, flip, RandAugment */
    CRU_VIEW_DISTILL = 4, /* crop and resize, flip, a hole */
} cru_view;

typedef struct cru_batch {
    int64_t count;
    cru_ids items;          /* as the task numbers them; host memory */
    cru_index rows;         /* as split.train numbers them */
    cru_input x;            /* the weak view */
    cru_input strong;       /* the others: empty unless the method asks for them */
    cru_input distill;      /* (cru_method.views) */
    cru_tensor *candidates; /* b x classes, 0/1: the candidate sets, or the observed label alone */
} cru_batch;

/* ---- shuffled passes ------------------------------------------------------------------------------------------- */

/* Shuffled passes over a set of rows. The order comes from the stream "sampling"; a new pass reshuffles. */
typedef struct cru_batches {
    cru_rng rng;
    int32_t *order; /* a copy of the ids */
    int64_t count, size, at;
    bool drop_last; /* leave out an incomplete last batch, unless it is the only one */
} cru_batches;

CRU_API cru_batches cru_batches_create(cru_ctx *ctx, cru_ids rows, int64_t size, bool drop_last);
/* The next batch; valid until the next call. */
CRU_API cru_ids cru_batches_next(cru_batches *batches);

/* ---- settings -------------------------------------------------------------------------------------------------- */

/* Part of cru_train. */
typedef struct cru_steps {
    int64_t steps, every, batch_size;
    cru_list pixel_mean, pixel_std; /* one per channel; empty: those of the training images */
} cru_steps;

/* Entries of a schema for a cru_train member of a method that trains in steps, instead of CRU_TRAIN_SETTINGS. Defaults
 * and search distributions are those of the partial-label study for tables and, with CRU_IMAGE_STEP_SETTINGS, for
 * images. */
#define CRU_STEP_SETTINGS(type_, member_)       CRU_STEP_SETTINGS_FROM(type_, member_, 10000, 128, CRU_POWER_OF_2(5, 8))
#define CRU_IMAGE_STEP_SETTINGS(type_, member_) CRU_STEP_SETTINGS_FROM(type_, member_, 60000, 256, CRU_POWER_OF_2(6, 9))
#define CRU_STEP_SETTINGS_FROM(type_, member_, steps_, batch_size_, batch_search_)                                     \
    CRU_INT_KEY(type_, "steps", member_.steps.steps, steps_, 0, 1e9, "most training steps"),                           \
        CRU_INT_KEY(type_, "every", member_.steps.every, 1000, 1, 1e9, "steps between checkpoints"),                   \
        CRU_INT_KEY(type_, "batch_size", member_.steps.batch_size, batch_size_, 1, 1e9, "items in a step",             \
                    .search = batch_search_),                                                                          \
        CRU_FLOAT_KEY(type_, "lr", member_.lr, 1e-3, 0, CRU_NO_MAX, "learning rate", /* 10^-4.5, 10^-2.5 */            \
                      .search = CRU_LOG_UNIFORM(3.1622776601683795e-5, 3.1622776601683795e-3)),                        \
        CRU_FLOAT_KEY(type_, "weight_decay", member_.weight_decay, 1e-5, 0, CRU_NO_MAX,                                \
                      "L2 penalty, as the optimiser defines it", .search = CRU_LOG_UNIFORM(1e-6, 1e-3)),               \
        CRU_CHOICE_KEY(type_, "optimiser", member_.optimiser, CRU_ADAM, cru_optimiser_names,                           \
                       "how gradients become steps"),                                                                  \
        CRU_LIST_KEY(type_, "pixel_mean", member_.steps.pixel_mean, "", 0, 1,                                          \
                     "images: taken from each channel; empty: that of the training images"),                           \
        CRU_LIST_KEY(type_, "pixel_std", member_.steps.pixel_std, "", 1e-6, 1e6,                                       \
                     "images: divides each channel; empty: that of the training images")

/* ---- parts, for methods and tests ------------------------------------------------------------------------------ */

struct cru_learner;

/* Tables of the training items, n x classes, in the context: their candidate sets as 0/1 (an observed label is a set of
 * one), and as distributions, 1/|S_i| on each candidate. */
CRU_API cru_tensor *cru_learner_candidates(struct cru_learner *learner);
CRU_API cru_tensor *cru_learner_candidate_shares(struct cru_learner *learner);

#ifdef __cplusplus
}
#endif
#endif
