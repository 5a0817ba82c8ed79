// SPDX-License-Identifier: Apache-2.0
/* row-loss.h: what methods share that are nothing but a loss of a minibatch of rows or images. */
#ifndef PLL_ROW_LOSS_H
#define PLL_ROW_LOSS_H

#include <crucible/crucible.h>

typedef struct row_settings {
    cru_backbone_choice backbone;
    cru_train train;
} row_settings;

/* The schema of row_settings. */
extern const cru_param row_schema[];

/* The members of a plugin whose settings are row_settings and whose only hook is this loss. */
#define ROW_LOSS(loss_)                                                                                                \
    CRU_METHOD(row_settings, row_schema, cru_no_model, .backbone = CRU_AT(row_settings, backbone), .batch_loss = loss_)

/* Settings of methods that differ from the study's code in one place, and their schema with what `variant` says. */
typedef struct variant_settings {
    int64_t variant;
    cru_backbone_choice backbone;
    cru_train train;
} variant_settings;
#define VARIANT_SCHEMA(help_)                                                                                          \
    {                                                                                                                  \
        CRU_VARIANT(variant_settings, variant, CRU_BENCH, help_), CRU_BACKBONE_SETTINGS(variant_settings, backbone),   \
            CRU_STEP_SETTINGS(variant_settings, train), CRU_END,                                                       \
    }

/* What all methods of the family say of themselves. */
#define OF_ROWS .problems = CRU_ROWS, .license = "Apache-2.0", .authors = "The Crucible authors"

/* The model of methods that keep one table: the target of each training item, at first uniform on its candidates. */
typedef struct target_model {
    cru_tensor *q; /* training items x classes */
} target_model;
void target_build(cru_learner *l, void *model);

/* b x classes: 1 for each label outside the candidate set, a complementary label of its row. */
cru_tensor *outside(cru_tape *t, const cru_batch *batch);

/* b x 1: how many labels lie outside. */
cru_tensor *outside_count(cru_tape *t, const cru_batch *batch);

/* The mean of `each`, b x classes, over the pairs (row, label outside its set); rows with few candidates weigh more.
 * NULL for a batch without any pair, which makes no step. */
cru_tensor *pair_mean(cru_tape *t, const cru_batch *batch, cru_tensor *each);

/* b x classes: 1/|S_i| on each candidate of row i. */
cru_tensor *candidate_shares(cru_tape *t, const cru_batch *batch);

/* b x 1: (K - 1) / (K - |S_i|), how much a set of this size says. A set of all labels has an infinite weight, or, to be
 * skipped, 0. */
cru_tensor *set_weights(cru_tape *t, const cru_batch *batch, bool skip_full);

/* -(1/b) sum_i sum_{k not in S_i} log(1.0000001 - p_ik) of scores z: what suppresses labels outside the sets. */
cru_tensor *suppression(cru_tape *t, cru_tensor *z, cru_tensor *sets);

/* A pass through the network whose result the study's code does not need: the running statistics of a network for
 * images move by it. */
void look_again(const cru_learner *l, cru_tape *t, const cru_input *x);

/* The sums of the rows of x, as a column: n x 1. */
cru_tensor *row_sums(cru_tape *t, cru_tensor *x);

#endif
