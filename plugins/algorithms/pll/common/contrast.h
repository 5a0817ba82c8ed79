// SPDX-License-Identifier: Apache-2.0
/* contrast.h: networks with a projection beside the classifier, and what is done with the projections. */
#ifndef PLL_CONTRAST_H
#define PLL_CONTRAST_H

#include "row-loss.h"

/* v = normalise(projection_1(relu(projection_0(features)))), named head.0 and head.2 */
typedef struct encoder {
    cru_net *net;
    cru_classifier classifier;
    cru_fc projection[2];
} encoder;

/* Adds a projection of this width to a classifier of `net`. */
encoder encoder_create(cru_net *net, const cru_classifier *classifier, int64_t width);

/* Another of the same shape as the learner's network, in a net of its own; starts with weights of its own. */
encoder encoder_second(cru_learner *l, const char *name, const cru_backbone_choice *choice, int64_t width);

cru_tensor *encoder_features(cru_tape *t, const encoder *e, const cru_input *x);
cru_tensor *encoder_project(cru_tape *t, const encoder *e, cru_tensor *features);

/* Refuses rows, whose views are all the same, unless the settings ask for them. */
void need_views(cru_learner *l, bool same_views);

/* Refuses a queue that is no whole number of batches. */
void need_whole_batches(cru_learner *l, int64_t queue, int64_t batch_size);

/* Normal values, and each column to unit length if `unit`. */
void fill_normal(cru_learner *l, cru_tensor *table, const char *stream, bool unit);

/* `count` rows of a ring of `size` rows, from row `at` on. */
cru_index ring_rows(cru_tape *t, int64_t at, int64_t count, int64_t size);

/* rows x cols: 0 on the diagonal, 1 elsewhere */
cru_tensor *off_diagonal(cru_tape *t, int64_t rows, int64_t cols);

/* The first rows of x, as many as there are rows of weights, against all rows:
 *
 *     (1/rows) sum_i -(temperature / 0.07) sum_{j != i} w_ij (a_ij - log(sum_{l != i} exp a_il + eps))
 *     a_ij = x_i x_j / temperature less its maximum in row i
 *
 * weights: rows x rows of x, constant. */
cru_tensor *weighted_contrast(cru_tape *t, cru_tensor *x, cru_tensor *weights, double temperature, double eps);

#endif
