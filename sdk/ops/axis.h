// SPDX-License-Identifier: Apache-2.0
/* axis.h: a tensor seen as outer x count x inner around one axis. */
#ifndef SDK_OPS_AXIS_H
#define SDK_OPS_AXIS_H

#include <crucible/ops-basic.h>

#include "autograd/tape.h"

typedef struct axis_view {
    int64_t outer, count, inner;
    cru_tensor reduced; /* the shape without the axis */
} axis_view;

/* `axis` as the public functions take it: 0.., -1 for the last, CRU_ALL for everything at once. */
static inline axis_view axis_of(const char *name, const cru_tensor *x, int32_t axis)
{
    if (axis == CRU_ALL || x->rank == 0)
        return (axis_view){.outer = 1, .count = cru_tensor_count(x), .inner = 1, .reduced = tape_shape0()};
    if (axis < 0) axis += x->rank;
    cru_assert(axis >= 0 && axis < x->rank, "%s: %s has no axis %d", name, tape_text(x).text, axis);
    axis_view v = {.outer = 1, .count = x->dim[axis], .inner = 1};
    int64_t dim[4];
    int32_t rank = 0;
    for (int32_t i = 0; i < x->rank; i++) {
        if (i < axis) v.outer *= x->dim[i];
        if (i > axis) v.inner *= x->dim[i];
        if (i != axis) dim[rank++] = x->dim[i];
    }
    v.reduced = tape_shape(rank, dim);
    return v;
}

#endif
