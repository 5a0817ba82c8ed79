// SPDX-License-Identifier: Apache-2.0
/* One operand, element by element. The backward pass works in place on the incoming gradient. */
#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

typedef struct unary_state {
    cru_unary op;
    float a, b;
} unary_state;

static void unary_backward(cru_tape *t, tape_node *n)
{
    const unary_state *s = n->state;
    float *grad = tape_take_grad(n);
    cru_unary_grad_args args = {.n = cru_tensor_count(n->out),
                                .x = n->in[0]->data,
                                .y = n->out->data,
                                .dy = grad,
                                .dx = grad,
                                .a = s->a,
                                .b = s->b};
    t->device->backend->unary_grad(t->device, s->op, &args);
    tape_grad_give(t, n->in[0], grad);
}

/* The derivative as a constant: right for functions made of straight pieces. */
static cru_tensor *slope(cru_tape *t, const tape_node *n, const unary_state *s)
{
    cru_tensor *one = cru_tensor_filled(t, cru_shape_of(n->out), 1);
    cru_unary_grad_args args = {.n = cru_tensor_count(one),
                                .x = n->in[0]->data,
                                .y = n->out->data,
                                .dy = one->data,
                                .dx = one->data,
                                .a = s->a,
                                .b = s->b};
    t->device->backend->unary_grad(t->device, s->op, &args);
    return one;
}

static void unary_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const unary_state *s = n->state;
    cru_tensor *x = n->in[0], *y = n->out;
    switch (s->op) {
    case CRU_UNARY_COPY:
        dx[0] = dy;
        return;
    case CRU_UNARY_SCALE:
        dx[0] = cru_scale(t, dy, s->a);
        return;
    case CRU_UNARY_RELU:
    case CRU_UNARY_LEAKY:
    case CRU_UNARY_ABS:
    case CRU_UNARY_CLAMP:
        dx[0] = cru_mul(t, dy, slope(t, n, s));
        return;
    case CRU_UNARY_TANH:
        dx[0] = cru_mul(t, dy, cru_affine(t, cru_square(t, y), -1, 1));
        return;
    case CRU_UNARY_SIGMOID:
        dx[0] = cru_mul(t, dy, cru_sub(t, y, cru_square(t, y)));
        return;
    case CRU_UNARY_EXP:
        dx[0] = cru_mul(t, dy, y);
        return;
    case CRU_UNARY_LOG:
        dx[0] = cru_div(t, dy, x);
        return;
    case CRU_UNARY_POW:
        dx[0] = cru_mul(t, dy, cru_scale(t, cru_pow(t, x, s->a - 1), s->a));
        return;
    case CRU_UNARY_SQRT:
        dx[0] = cru_div(t, cru_scale(t, dy, 0.5f), y);
        return;
    case CRU_UNARY_RECIPROCAL:
        dx[0] = cru_neg(t, cru_mul(t, dy, cru_square(t, y)));
        return;
    default:
        cru_panic(CRU_FAILED, "grad: this activation cannot be differentiated twice");
    }
}

/* One entry a function, so that messages and traces name it. */
static const tape_op unary_ops[CRU_UNARY_COUNT] = {
    [CRU_UNARY_COPY] = {"copy", unary_backward, unary_graph},
    [CRU_UNARY_SCALE] = {"scale", unary_backward, unary_graph},
    [CRU_UNARY_RELU] = {"relu", unary_backward, unary_graph},
    [CRU_UNARY_LEAKY] = {"leaky", unary_backward, unary_graph},
    [CRU_UNARY_ELU] = {"elu", unary_backward, unary_graph},
    [CRU_UNARY_SELU] = {"selu", unary_backward, unary_graph},
    [CRU_UNARY_GELU] = {"gelu", unary_backward, unary_graph},
    [CRU_UNARY_TANH] = {"tanh", unary_backward, unary_graph},
    [CRU_UNARY_SIGMOID] = {"sigmoid", unary_backward, unary_graph},
    [CRU_UNARY_SOFTPLUS] = {"softplus", unary_backward, unary_graph},
    [CRU_UNARY_LOGSIGMOID] = {"logsigmoid", unary_backward, unary_graph},
    [CRU_UNARY_EXP] = {"exp", unary_backward, unary_graph},
    [CRU_UNARY_LOG] = {"log", unary_backward, unary_graph},
    [CRU_UNARY_ABS] = {"abs", unary_backward, unary_graph},
    [CRU_UNARY_POW] = {"pow", unary_backward, unary_graph},
    [CRU_UNARY_SQRT] = {"sqrt", unary_backward, unary_graph},
    [CRU_UNARY_CLAMP] = {"clamp", unary_backward, unary_graph},
    [CRU_UNARY_RECIPROCAL] = {"reciprocal", unary_backward, unary_graph},
    [CRU_UNARY_SIGN] = {"sign", unary_backward, unary_graph},
    [CRU_UNARY_LGAMMA] = {"lgamma", unary_backward, unary_graph},
    [CRU_UNARY_DIGAMMA] = {"digamma", unary_backward, unary_graph},
    [CRU_UNARY_SIN] = {"sin", unary_backward, unary_graph},
    [CRU_UNARY_COS] = {"cos", unary_backward, unary_graph},
    [CRU_UNARY_LOG1P] = {"log1p", unary_backward, unary_graph},
};

static cru_tensor *unary(cru_tape *t, cru_unary op, cru_tensor *x, float a, float b)
{
    tape_result r = tape_emit(t, &unary_ops[op], x, &x, 1, sizeof(unary_state));
    *(unary_state *)r.state = (unary_state){.op = op, .a = a, .b = b};
    cru_unary_args args = {.n = cru_tensor_count(x), .x = x->data, .y = r.out->data, .a = a, .b = b};
    t->device->backend->unary(t->device, op, &args);
    return r.out;
}

cru_tensor *cru_affine(cru_tape *t, cru_tensor *x, double factor, double shift)
{
    return unary(t, CRU_UNARY_SCALE, x, (float)factor, (float)shift);
}

cru_tensor *cru_scale(cru_tape *t, cru_tensor *x, double factor)
{
    return unary(t, CRU_UNARY_SCALE, x, (float)factor, 0);
}

cru_tensor *cru_neg(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SCALE, x, -1, 0);
}

cru_tensor *cru_relu(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_RELU, x, 0, 0);
}

cru_tensor *cru_leaky_relu(cru_tape *t, cru_tensor *x, double negative_slope)
{
    return unary(t, CRU_UNARY_LEAKY, x, (float)negative_slope, 0);
}

cru_tensor *cru_elu(cru_tape *t, cru_tensor *x, double alpha)
{
    return unary(t, CRU_UNARY_ELU, x, (float)alpha, 0);
}

/* max(x, 0) - s max(-x, 0) */
cru_tensor *cru_prelu(cru_tape *t, cru_tensor *x, cru_tensor *negative_slope)
{
    cru_tensor *below = cru_relu(t, cru_neg(t, x));
    cru_tensor *sloped = cru_mul(t, below, negative_slope);
    return cru_sub(t, cru_relu(t, x), sloped);
}

cru_tensor *cru_selu(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SELU, x, 0, 0);
}

cru_tensor *cru_gelu(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_GELU, x, 0, 0);
}

cru_tensor *cru_tanh(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_TANH, x, 0, 0);
}

cru_tensor *cru_sigmoid(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SIGMOID, x, 0, 0);
}

cru_tensor *cru_softplus(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SOFTPLUS, x, 0, 0);
}

cru_tensor *cru_log_sigmoid(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_LOGSIGMOID, x, 0, 0);
}

cru_tensor *cru_exp(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_EXP, x, 0, 0);
}

cru_tensor *cru_log(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_LOG, x, 0, 0);
}

cru_tensor *cru_log1p(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_LOG1P, x, 0, 0);
}

cru_tensor *cru_abs(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_ABS, x, 0, 0);
}

cru_tensor *cru_pow(cru_tape *t, cru_tensor *x, double p)
{
    return unary(t, CRU_UNARY_POW, x, (float)p, 0);
}

cru_tensor *cru_square(cru_tape *t, cru_tensor *x)
{
    return cru_mul(t, x, x);
}

cru_tensor *cru_sqrt(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SQRT, x, 0, 0);
}

cru_tensor *cru_reciprocal(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_RECIPROCAL, x, 0, 0);
}

cru_tensor *cru_clamp(cru_tape *t, cru_tensor *x, double lo, double hi)
{
    return unary(t, CRU_UNARY_CLAMP, x, (float)lo, (float)hi);
}

cru_tensor *cru_sin(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SIN, x, 0, 0);
}

cru_tensor *cru_cos(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_COS, x, 0, 0);
}

cru_tensor *cru_lgamma(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_LGAMMA, x, 0, 0);
}

cru_tensor *cru_digamma(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_DIGAMMA, x, 0, 0);
}

cru_tensor *cru_sign(cru_tape *t, cru_tensor *x)
{
    return unary(t, CRU_UNARY_SIGN, cru_detach(t, x), 0, 0);
}
