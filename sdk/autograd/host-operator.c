// SPDX-License-Identifier: Apache-2.0
/* Operators that a plugin computes itself, on the host. */
#include <string.h>

#include <crucible/draft/tensor.h>

#include "autograd/tape.h"

typedef struct host_state {
    cru_host_backward *backward;
    void *user;
} host_state;

static void host_backward(cru_tape *t, tape_node *n)
{
    const host_state *s = n->state;
    const cru_backend *be = t->device->backend;
    float **dx = tape_scratch(t, n->in_count, sizeof *dx);
    float *dy = tape_scratch(t, cru_tensor_count(n->out), sizeof *dy);
    be->download(t->device, dy, n->out->grad, (size_t)cru_tensor_count(n->out) * sizeof *dy);
    for (int32_t i = 0; i < n->in_count; i++) {
        const int64_t count = cru_tensor_count(n->in[i]);
        dx[i] = tape_needs(t, n->in[i]) ? tape_scratch(t, count, sizeof **dx) : NULL;
        if (dx[i]) memset(dx[i], 0, (size_t)count * sizeof **dx);
    }
    s->backward(s->user, t, dy, dx);
    for (int32_t i = 0; i < n->in_count; i++) {
        if (!dx[i]) continue;
        float *grad = tape_floats(t, cru_tensor_count(n->in[i]));
        be->upload(t->device, grad, dx[i], (size_t)cru_tensor_count(n->in[i]) * sizeof *grad);
        tape_grad_give(t, n->in[i], grad);
    }
}

static const tape_op host_op = {.name = "host_operator", .backward = host_backward};

cru_tensor *cru_host_operator(cru_tape *t, const cru_host_op *op, cru_tensor *const *x, int64_t count)
{
    const cru_tensor shape = tape_shape(op->shape.rank, op->shape.dim);
    tape_result r = tape_emit(t, &host_op, &shape, x, (int32_t)count, sizeof(host_state));
    *(host_state *)r.state = (host_state){op->backward, op->user};
    t->device->backend->upload(t->device, r.out->data, op->y, (size_t)cru_tensor_count(r.out) * sizeof *op->y);
    return r.out;
}
