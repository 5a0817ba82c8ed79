// SPDX-License-Identifier: Apache-2.0
/* part.h: a rectangle inside a tensor, and adding a gradient to just that rectangle. */
#ifndef SDK_OPS_PART_H
#define SDK_OPS_PART_H

#include "autograd/tape.h"

typedef struct part {
    int64_t at;         /* first element */
    int64_t rows, cols; /* of the rectangle */
    int64_t ld;         /* of the tensor around it */
} part;

/* The gradient buffer of x, filled with zeros when it is new; NULL when x needs none. */
static inline float *grad_or_zeros(cru_tape *t, cru_tensor *x)
{
    bool add;
    float *dx = tape_grad(t, x, &add);
    if (dx && !add) t->device->backend->fill(t->device, dx, cru_tensor_count(x), 0);
    return dx;
}

/* Adds dy (rows x cols) to the gradient of the rectangle of x. */
static inline void part_add(cru_tape *t, cru_tensor *x, const part *p, const float *dy)
{
    float *dx = grad_or_zeros(t, x);
    if (!dx) return;
    cru_copy_args args = {.rows = p->rows,
                          .cols = p->cols,
                          .x = dy,
                          .ldx = p->cols,
                          .y = dx + p->at,
                          .ldy = p->ld,
                          .scale = 1,
                          .accumulate = true};
    t->device->backend->copy(t->device, &args);
}

#endif
