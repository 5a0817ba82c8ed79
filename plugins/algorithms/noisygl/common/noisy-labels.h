// SPDX-License-Identifier: Apache-2.0
/* noisy-labels.h: what methods against noisy labels share. */
#ifndef PLUGINS_NOISY_LABELS_H
#define PLUGINS_NOISY_LABELS_H

#include <crucible/crucible.h>

/* The positions i, ascending, at which the largest columns of a_i and b_i agree (or not): for this step. NaN in a row
 * counts as class 0. a, b: n x classes. */
cru_index agreement(cru_tape *t, const cru_tensor *a, const cru_tensor *b, bool agree);

/* The model of a method with a second network like l->gcn, and its `build`: for methods with `gcn`. The second has a
 * net of its own and learns with the first, which predicts. */
typedef struct twins {
    cru_gcn_stack second;
} twins;
void twins_build(cru_learner *l, void *self);

/* Consistency across spaces: how far two views' similarities in the space of projections are from those in the space of
 * classes, of which only those above `least` count:
 *     mean over all i, j of (S_ij - [C_ij > least] C_ij)^2
 *     S_ij = exp(cos(projected^1_i, projected^2_j) / temperature)      C likewise of classified
 * Holds several n x n matrices. */
typedef struct two_spaces {
    cru_tensor *projected[2], *classified[2]; /* of the two views, n rows each */
    double temperature, least;
} two_spaces;
cru_tensor *consistency(cru_tape *t, const two_spaces *s);

/* Transition matrix by anchors (Patrini et al.). The anchor of class c is the item whose highest logit is c and higher
 * than that of any other such item (the lowest id among equals); item 0 when no item's is, or none above the lowest of
 * all items' highest logits, which the benchmark gives to the items of other classes. Row c of the matrix is the
 * softmax of the anchor's second logits. */
typedef struct anchor_logits {
    int64_t items;
    int32_t classes;
    const float *search; /* items x classes: where anchors are searched */
    const float *read;   /* items x classes: from which rows are read */
} anchor_logits;
void transition_from_anchors(const anchor_logits *z, float *matrix, int32_t *anchors);

#endif
