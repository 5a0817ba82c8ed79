/* noisy-labels.h: what methods against noisy labels share. */
#ifndef PLUGINS_NOISY_LABELS_H
#define PLUGINS_NOISY_LABELS_H

#include <crucible/crucible.h>

/* As the benchmark's code computes a method, or as the method's own authors do. */
typedef enum variant { VARIANT_BENCH, VARIANT_PAPER } variant;
extern const char *const variant_names[]; /* "bench", "paper", NULL */

/* The positions i, ascending, at which the largest columns of a_i and b_i agree (or not): for this step. NaN in a row
 * counts as class 0. a, b: n x classes. */
cru_index agreement(cru_tape *t, const cru_tensor *a, const cru_tensor *b, bool agree);

/* Contrast of two views, n x c each, with plain inner products in the denominator:
 *     pos_i = exp(cos(a_i, b_i) / tau)      neg^v_i = sum_j exp(v_i . v_j / tau) + pos_i, j = i included
 *     1/2n sum_i -log(pos_i / (pos_i + neg^a_i)) - log(pos_i / (pos_i + neg^b_i))
 * Not `stable`: exponentials in float, which overflow. */
typedef struct contrast_views {
    cru_tensor *a, *b;
    float tau;
    bool stable;
} contrast_views;
cru_tensor *contrast(cru_tape *t, const contrast_views *views);

/* Transition matrix by anchors (Patrini et al.). The anchor of class c is the item whose highest logit is c and higher
 * than that of any other such item (the lowest id among equals); item 0 when no item's is. Row c of the matrix is the
 * softmax of the anchor's second logits. */
typedef struct anchor_logits {
    int64_t items, classes;
    const float *search; /* items x classes: where anchors are searched */
    const float *read;   /* items x classes: from which rows are read */
} anchor_logits;
void transition_from_anchors(const anchor_logits *z, float *matrix, int32_t *anchors);

#endif
