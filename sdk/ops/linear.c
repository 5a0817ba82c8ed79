// SPDX-License-Identifier: Apache-2.0
/* x w, then bias, activation and dropout, in one node: what follows is applied in place on the product. */
#include "ops/linear.h"

#include <stddef.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

void linear_check(const char *name, int64_t in, const cru_tensor *w)
{
    cru_assert(cru_tensor_rows(w) == in, "%s: %lld features against weights %s", name, (long long)in,
               tape_text(w).text);
}

static bool can_follow(cru_unary act)
{
    return act == CRU_UNARY_COPY || act == CRU_UNARY_RELU || act == CRU_UNARY_LEAKY || act == CRU_UNARY_ELU ||
           act == CRU_UNARY_SELU || act == CRU_UNARY_TANH || act == CRU_UNARY_SIGMOID;
}

void then_check(const char *name, int64_t out, const cru_then *then)
{
    const cru_tensor *b = then->bias;
    cru_assert(!b || cru_tensor_count(b) == out, "%s: %lld columns against a bias of %s", name, (long long)out,
               b ? tape_text(b).text : "");
    cru_assert(can_follow(then->act) && then->a >= 0, "%s: this activation cannot be fused; apply it on its own", name);
    cru_assert(then->dropout >= 0 && then->dropout < 1, "%s: dropout %g is not in [0, 1)", name, (double)then->dropout);
}

void finish_set(cru_tape *t, cru_finish *finish, const cru_tensor *result, const cru_then *then)
{
    *finish = (cru_finish){.bias = then->bias ? then->bias->data : NULL, .act = then->act, .a = (float)then->a};
    tape_node *n = result->node;
    if (n) {
        n->finish = finish;
        n->bias = then->bias;
    }
    if (then->dropout == 0 || cru_tape_mode(t) == CRU_EVAL) return;
    cru_rng rng = cru_rng_split(&t->dropout, t->dropout_calls++);
    finish->p = (float)then->dropout;
    finish->key[0] = rng.key[0];
    finish->key[1] = rng.key[1];
    finish->stream = rng.stream;
}

/* The way back through a node's finish for the gradient dy of its result; false when nothing is to be done. */
static bool way_back(cru_tape *t, const tape_node *n, float *dy, cru_finish_grad_args *args)
{
    *args = (cru_finish_grad_args){.finish = n->finish,
                                   .rows = cru_tensor_rows(n->out),
                                   .cols = cru_tensor_cols(n->out),
                                   .y = n->out->data,
                                   .dy = dy};
    args->dbias = n->bias ? tape_grad(t, n->bias, &args->accumulate) : NULL;
    return args->dbias || n->finish->act != CRU_UNARY_COPY || n->finish->p > 0;
}

void finish_backward(cru_tape *t, const tape_node *n)
{
    cru_finish_grad_args args;
    if (n->led_back != t->pass && way_back(t, n, n->out->grad, &args))
        t->device->backend->finish_grad(t->device, &args);
}

/* way_back of the operator that made x, by the kernel that makes the gradient of x. False when that is not all of the
 * gradient, or somebody wants to see it. */
static bool leads_back(cru_tape *t, const cru_tensor *x, float *dx, cru_finish_grad_args *args)
{
    tape_node *n = x->node;
    if (!n || !n->finish || n->uses > 1 || x->role != ROLE_RESULT || !way_back(t, n, dx, args)) return false;
    n->led_back = t->pass;
    return true;
}

/* The derivatives of relu, leaky relu and dropout are constant almost everywhere: what they make of a gradient of
 * ones. */
cru_tensor *finish_graph(cru_tape *t, const tape_node *n, const cru_finish *finish, cru_tensor *dy)
{
    if (finish->act == CRU_UNARY_COPY && finish->p == 0) return dy;
    cru_assert(finish->act == CRU_UNARY_COPY || finish->act == CRU_UNARY_RELU || finish->act == CRU_UNARY_LEAKY,
               "grad: this fused activation cannot be differentiated twice; apply it on its own");
    cru_tensor *slope = cru_tensor_filled(t, cru_shape_of(n->out), 1);
    cru_finish_grad_args args = {.finish = finish,
                                 .rows = cru_tensor_rows(n->out),
                                 .cols = cru_tensor_cols(n->out),
                                 .y = n->out->data,
                                 .dy = slope->data};
    t->device->backend->finish_grad(t->device, &args);
    return cru_mul(t, dy, slope);
}

cru_tensor *bias_graph(cru_tape *t, const cru_tensor *bias, cru_tensor *dy)
{
    return cru_reshape(t, cru_sum(t, dy, 0), cru_shape_of(bias));
}

static bool has_gemm_back(const cru_backend *backend)
{
    return backend->size >= offsetof(cru_backend, gemm_back) + sizeof backend->gemm_back && backend->gemm_back;
}

/* The gradient of x, which has none yet. */
static void product_back(cru_tape *t, const cru_tensor *x, const cru_gemm_args *product)
{
    const cru_backend *backend = t->device->backend;
    cru_finish_grad_args back;
    if (has_gemm_back(backend) && leads_back(t, x, product->c, &back))
        backend->gemm_back(t->device, product, &back);
    else
        backend->gemm(t->device, product);
}

static void linear_backward(cru_tape *t, tape_node *n)
{
    cru_tensor *x = n->in[0], *w = n->in[1];
    finish_backward(t, n);
    int64_t rows = cru_tensor_rows(x), in = cru_tensor_cols(x), out = cru_tensor_cols(w);
    cru_gemm_args args = {.tb = true,
                          .m = rows,
                          .n = in,
                          .k = out,
                          .alpha = 1,
                          .a = n->out->grad,
                          .lda = out,
                          .b = w->data,
                          .ldb = out,
                          .ldc = in};
    bool add;
    if ((args.c = tape_grad(t, x, &add))) {
        args.beta = add ? 1 : 0;
        if (add)
            t->device->backend->gemm(t->device, &args);
        else
            product_back(t, x, &args);
    }
    args = (cru_gemm_args){.ta = true,
                           .m = in,
                           .n = out,
                           .k = rows,
                           .alpha = 1,
                           .a = x->data,
                           .lda = in,
                           .b = n->out->grad,
                           .ldb = out,
                           .ldc = out};
    if ((args.c = tape_grad(t, w, &add))) {
        args.beta = add ? 1 : 0;
        t->device->backend->gemm(t->device, &args);
    }
}

static void linear_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    cru_tensor *x = n->in[0], *w = n->in[1], *dz = finish_graph(t, n, n->state, dy);
    if (x->needs_grad) dx[0] = cru_matmul_op(t, dz, w, CRU_NT);
    if (w->needs_grad) dx[1] = cru_matmul_op(t, x, dz, CRU_TN);
    if (n->in_count > 2 && n->in[2]->needs_grad) dx[2] = bias_graph(t, n->in[2], dz);
}

static const tape_op linear_op = {.name = "linear", .backward = linear_backward, .backward_graph = linear_graph};

cru_tensor *cru_linear_then(cru_tape *t, cru_tensor *x, cru_tensor *w, const cru_then *then)
{
    int64_t rows = cru_tensor_rows(x), in = cru_tensor_cols(x), out = cru_tensor_cols(w);
    linear_check("linear", in, w);
    then_check("linear", out, then);
    cru_tensor shape = tape_shape2(rows, out), *inputs[] = {x, w, then->bias};
    tape_result r = tape_emit(t, &linear_op, &shape, inputs, then->bias ? 3 : 2, sizeof(cru_finish));
    cru_finish *finish = r.state;
    finish_set(t, finish, r.out, then);
    cru_gemm_args args = {.m = rows,
                          .n = out,
                          .k = in,
                          .alpha = 1,
                          .a = x->data,
                          .lda = in,
                          .b = w->data,
                          .ldb = out,
                          .c = r.out->data,
                          .ldc = out,
                          .finish = finish_or_null(finish)};
    const tape_product product = {.op = &linear_op, .a = x->data, .b = w->data, .finish = *finish};
    const bool same = tape_same_in_both(t, x) && tape_same_in_both(t, w);
    if (same && tape_recall(t, &product, r.out)) return r.out;
    t->device->backend->gemm(t->device, &args);
    if (same) tape_remember(t, &product, r.out);
    return r.out;
}

cru_tensor *cru_linear_act(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b, cru_unary act)
{
    return cru_linear_then(t, x, w, &(cru_then){.bias = b, .act = act});
}

cru_tensor *cru_linear(cru_tape *t, cru_tensor *x, cru_tensor *w, cru_tensor *b)
{
    return cru_linear_then(t, x, w, &(cru_then){.bias = b});
}
