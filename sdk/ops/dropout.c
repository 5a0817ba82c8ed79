// SPDX-License-Identifier: Apache-2.0
/* Dropout. The mask is never stored: the backward pass draws the same numbers again. */
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

typedef struct dropout_state {
    float p;
    cru_rng rng;
} dropout_state;

static void apply(cru_tape *t, const dropout_state *s, int64_t n, const float *x, float *y)
{
    cru_dropout_args args = {
        .n = n, .x = x, .y = y, .p = s->p, .key = {s->rng.key[0], s->rng.key[1]}, .stream = s->rng.stream};
    t->device->backend->dropout(t->device, &args);
}

static void dropout_backward(cru_tape *t, tape_node *n)
{
    float *grad = tape_take_grad(n);
    apply(t, n->state, cru_tensor_count(n->out), grad, grad);
    tape_grad_give(t, n->in[0], grad);
}

static const tape_op dropout_op = {.name = "dropout", .backward = dropout_backward};

cru_tensor *cru_dropout(cru_tape *t, cru_tensor *x, double p)
{
    cru_assert(p >= 0 && p < 1, "dropout: p = %g is not in [0, 1)", (double)p);
    if (p == 0 || cru_tape_mode(t) == CRU_EVAL) return x;
    tape_result r = tape_emit(t, &dropout_op, x, &x, 1, sizeof(dropout_state));
    dropout_state *s = r.state;
    *s = (dropout_state){.p = (float)p, .rng = cru_rng_split(&t->dropout, t->dropout_calls++)};
    apply(t, s, cru_tensor_count(x), x->data, r.out->data);
    return r.out;
}
