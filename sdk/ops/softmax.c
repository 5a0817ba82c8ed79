// SPDX-License-Identifier: Apache-2.0
/* Softmax and its logarithm along an axis.
 *
 *     softmax:      dx = y (dy - sum(y dy))          log-softmax:   dx = dy - exp(y) sum(dy) */
#include <crucible/ops-basic.h>

#include "ops/axis.h"

typedef struct softmax_state {
    axis_view v;
    bool log;
} softmax_state;

static void softmax_backward(cru_tape *t, tape_node *n)
{
    const softmax_state *s = n->state;
    cru_softmax_grad_args args = {.outer = s->v.outer,
                                  .count = s->v.count,
                                  .inner = s->v.inner,
                                  .y = n->out->data,
                                  .dy = n->out->grad,
                                  .log = s->log};
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->softmax_grad(t->device, &args);
}

static void softmax_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const softmax_state *s = n->state;
    cru_assert(s->v.inner == 1, "grad: softmax along this axis cannot be differentiated twice");
    cru_tensor *y = cru_as_matrix(t, n->out, s->v.outer, s->v.count);
    cru_tensor *g = cru_as_matrix(t, dy, s->v.outer, s->v.count);
    cru_tensor *result;
    if (s->log) {
        cru_tensor *total = cru_as_matrix(t, cru_sum(t, g, 1), -1, 1);
        result = cru_sub(t, g, cru_mul(t, cru_exp(t, y), total));
    } else {
        cru_tensor *total = cru_as_matrix(t, cru_sum(t, cru_mul(t, y, g), 1), -1, 1);
        result = cru_mul(t, y, cru_sub(t, g, total));
    }
    dx[0] = cru_reshape(t, result, cru_shape_of(n->in[0]));
}

static const tape_op softmax_op = {.name = "softmax", .backward = softmax_backward, .backward_graph = softmax_graph};

static cru_tensor *softmax(cru_tape *t, const char *name, cru_tensor *x, int32_t axis, bool log)
{
    axis_view v = axis_of(name, x, axis);
    tape_result r = tape_emit(t, &softmax_op, x, &x, 1, sizeof(softmax_state));
    *(softmax_state *)r.state = (softmax_state){.v = v, .log = log};
    cru_softmax_args args = {
        .outer = v.outer, .count = v.count, .inner = v.inner, .x = x->data, .y = r.out->data, .log = log};
    t->device->backend->softmax(t->device, &args);
    return r.out;
}

cru_tensor *cru_softmax(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return softmax(t, "softmax", x, axis, false);
}

cru_tensor *cru_log_softmax(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return softmax(t, "log_softmax", x, axis, true);
}
