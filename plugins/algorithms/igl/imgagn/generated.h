// SPDX-License-Identifier: Apache-2.0
/* generated.h: nodes that mix those of a minority.
 *
 *     w = softmax(out), a row per new node      x = w X      an edge to those of w > 1 / |minority| */
#ifndef IGL_GENERATED_H
#define IGL_GENERATED_H

#include <crucible/crucible.h>

typedef struct generated {
    cru_tensor *weights, *x; /* new x minority, new x features */
} generated;

generated generated_mix(cru_tape *t, cru_tensor *out, cru_tensor *minority);

/* Mean over all pairs of rows of sqrt(max(||a_i - b_j||^2, 1e-12)). */
cru_tensor *mean_distance(cru_tape *t, cru_tensor *a, cru_tensor *b);

/* Pairs (new node, minority node), numbered among themselves; returns how many. Arrays for count x size entries. */
int64_t generated_edges(const float *weights, int64_t count, int64_t size, int32_t *node, int32_t *other);

#endif
