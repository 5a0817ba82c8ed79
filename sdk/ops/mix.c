// SPDX-License-Identifier: Apache-2.0
/* y = sum_k w_k x_k with learned numbers w_k, without a temporary per term. */
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

/* The weights as they were in the forward pass, on the host: they scale whole tensors. */
typedef struct mix_state {
    float *w;
} mix_state;

static void mix_backward(cru_tape *t, tape_node *n)
{
    const mix_state *s = n->state;
    const cru_backend *be = t->device->backend;
    int64_t terms = n->in_count - 1, count = cru_tensor_count(n->out);
    bool add;
    float *dw = tape_grad(t, n->in[terms], &add);
    for (int64_t k = 0; k < terms; k++) {
        cru_tensor *x = n->in[k];
        cru_copy_args args = {
            .rows = 1, .cols = count, .x = n->out->grad, .ldx = count, .ldy = count, .scale = s->w[k]};
        args.y = tape_grad(t, x, &args.accumulate);
        if (args.y) be->copy(t->device, &args);
        if (!dw) continue;
        cru_binary_grad_args dot = {.rows = 1,
                                    .cols = count,
                                    .a = {x->data, count, 1},
                                    .b = {n->in[terms]->data + k, 0, 0},
                                    .dy = n->out->grad,
                                    .dx = dw + k,
                                    .to_b = true,
                                    .accumulate = add};
        be->binary_grad(t->device, CRU_BINARY_MUL, &dot);
    }
}

static const tape_op mix_op = {.name = "mix", .backward = mix_backward};

cru_tensor *cru_mix(cru_tape *t, cru_tensor *const *x, int64_t count, cru_tensor *weights)
{
    cru_assert(count > 0 && cru_tensor_count(weights) == count, "mix: %lld terms, weights %s", (long long)count,
               tape_text(weights).text);
    cru_tensor **in = tape_scratch(t, count + 1, sizeof *in);
    for (int64_t k = 0; k < count; k++) {
        cru_assert(cru_tensor_count(x[k]) == cru_tensor_count(x[0]), "mix: %s beside %s", tape_text(x[k]).text,
                   tape_text(x[0]).text);
        in[k] = x[k];
    }
    in[count] = weights;
    tape_result r = tape_emit(t, &mix_op, x[0], in, (int32_t)(count + 1), sizeof(mix_state));
    mix_state *s = r.state;
    s->w = tape_scratch(t, count, sizeof *s->w);
    cru_tensor_download(t, weights, s->w);
    int64_t n = cru_tensor_count(x[0]);
    for (int64_t k = 0; k < count; k++) {
        cru_copy_args args = {.rows = 1,
                              .cols = n,
                              .x = x[k]->data,
                              .ldx = n,
                              .y = r.out->data,
                              .ldy = n,
                              .scale = s->w[k],
                              .accumulate = k > 0};
        t->device->backend->copy(t->device, &args);
    }
    return r.out;
}
