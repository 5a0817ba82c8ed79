// SPDX-License-Identifier: Apache-2.0
/* Cutting and changing the flow of gradients. */
#include <crucible/draft/tensor.h>

#include "autograd/tape.h"

cru_tensor *cru_detach(cru_tape *tape, cru_tensor *x)
{
    cru_tensor shape = tape_shape(x->rank, x->dim);
    tape_check_alive("detach", x);
    shape.data = x->data;
    return tape_emit_view(tape, NULL, &shape, NULL, 0, 0).out;
}

typedef struct hook {
    cru_grad_hook *change;
    void *user;
} hook;

static void through_backward(cru_tape *t, tape_node *n)
{
    const hook *h = n->state;
    float *grad = tape_take_grad(n);
    h->change(h->user, t, grad, cru_tensor_count(n->out));
    tape_grad_give(t, n->in[0], grad);
}

static const tape_op through_op = {.name = "grad_through", .backward = through_backward};

cru_tensor *cru_grad_through(cru_tape *tape, cru_tensor *x, cru_grad_hook *change, void *user)
{
    cru_tensor shape = tape_shape(x->rank, x->dim);
    shape.data = x->data;
    tape_result r = tape_emit_view(tape, &through_op, &shape, &x, 1, sizeof(hook));
    *(hook *)r.state = (hook){.change = change, .user = user};
    return r.out;
}
