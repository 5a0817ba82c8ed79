// SPDX-License-Identifier: Apache-2.0
/* Reductions along an axis. */
#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "ops/axis.h"

typedef struct reduce_state {
    cru_reduce op;
    axis_view v;
    int32_t *where;
} reduce_state;

static void reduce_backward(cru_tape *t, tape_node *n)
{
    const reduce_state *s = n->state;
    bool mean = s->op == CRU_REDUCE_MEAN;
    cru_spread_args args = {.outer = s->v.outer,
                            .count = s->v.count,
                            .inner = s->v.inner,
                            .dy = n->out->grad,
                            .where = s->where,
                            .scale = mean && s->v.count ? 1.0f / (float)s->v.count : 1.0f};
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->spread(t->device, &args);
}

/* The gradient of a sum repeats along the axis that was summed. */
static void reduce_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const reduce_state *s = n->state;
    cru_assert(!s->where && s->v.outer * s->v.inner * s->v.count == cru_tensor_count(n->in[0]),
               "grad: max and min cannot be differentiated twice");
    cru_assert(s->v.outer == 1 || s->v.inner == 1, "grad: a sum along a middle axis cannot be differentiated twice");
    cru_tensor *x = n->in[0];
    float scale = s->op == CRU_REDUCE_MEAN && s->v.count ? 1.0f / (float)s->v.count : 1.0f;
    cru_tensor *g = cru_scale(t, dy, scale);
    int64_t rows = s->v.outer == 1 ? s->v.count : s->v.outer;
    int64_t cols = s->v.outer == 1 ? s->v.inner : s->v.count;
    int64_t g_rows = s->v.outer == 1 ? 1 : s->v.outer;
    g = cru_broadcast(t, cru_as_matrix(t, g, g_rows, -1), rows, cols);
    dx[0] = cru_reshape(t, g, cru_shape_of(x));
}

static const tape_op reduce_ops[CRU_REDUCE_COUNT] = {
    [CRU_REDUCE_SUM] = {"sum", reduce_backward, reduce_graph},
    [CRU_REDUCE_MEAN] = {"mean", reduce_backward, reduce_graph},
    [CRU_REDUCE_MAX] = {"max", reduce_backward, reduce_graph},
    [CRU_REDUCE_MIN] = {"min", reduce_backward, reduce_graph},
};

static cru_tensor *reduce(cru_tape *t, cru_reduce op, const char *name, cru_tensor *x, int32_t axis)
{
    axis_view v = axis_of(name, x, axis);
    bool picks = op == CRU_REDUCE_MAX || op == CRU_REDUCE_MIN;
    cru_assert(!picks || v.count > 0, "%s: nothing to choose from in %s", name, tape_text(x).text);
    tape_result r = tape_emit(t, &reduce_ops[op], &v.reduced, &x, 1, sizeof(reduce_state));
    reduce_state *s = r.state;
    *s = (reduce_state){.op = op, .v = v};
    if (picks && r.out->needs_grad) s->where = tape_ints(t, cru_tensor_count(r.out));
    cru_reduce_args args = {
        .outer = v.outer, .count = v.count, .inner = v.inner, .x = x->data, .y = r.out->data, .where = s->where};
    t->device->backend->reduce(t->device, op, &args);
    return r.out;
}

cru_tensor *cru_sum(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return reduce(t, CRU_REDUCE_SUM, "sum", x, axis);
}

cru_tensor *cru_mean(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return reduce(t, CRU_REDUCE_MEAN, "mean", x, axis);
}

cru_tensor *cru_max(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return reduce(t, CRU_REDUCE_MAX, "max", x, axis);
}

cru_tensor *cru_min(cru_tape *t, cru_tensor *x, int32_t axis)
{
    return reduce(t, CRU_REDUCE_MIN, "min", x, axis);
}

cru_index cru_argmax(cru_tape *t, const cru_tensor *x)
{
    axis_view v = axis_of("argmax", x, -1);
    cru_assert(v.count > 0, "argmax: nothing to choose from in %s", tape_text(x).text);
    int32_t *where = tape_ints(t, v.outer);
    cru_reduce_args args = {
        .outer = v.outer, .count = v.count, .inner = 1, .x = x->data, .y = tape_floats(t, v.outer), .where = where};
    t->device->backend->reduce(t->device, CRU_REDUCE_MAX, &args);
    return (cru_index){.ids = where, .count = v.outer};
}

/* ---- log-sum-exp ----------------------------------------------------------------------------------------- */

typedef struct lse_state {
    axis_view v;
    float *shifted; /* exp(x - max), as large as x */
    float *total;   /* its sum along the axis */
} lse_state;

/* dx = exp(x - max) / sum * dy */
static void lse_backward(cru_tape *t, tape_node *n)
{
    const lse_state *s = n->state;
    const cru_backend *be = t->device->backend;
    int64_t small = cru_tensor_count(n->out), big = cru_tensor_count(n->in[0]);
    float *ratio = tape_take_grad(n);
    cru_binary_args divide = {.rows = 1, .cols = small, .a = {ratio, small, 1}, .b = {s->total, small, 1}, .y = ratio};
    be->binary(t->device, CRU_BINARY_DIV, &divide);
    float *dx = tape_floats(t, big);
    cru_spread_args spread = {
        .outer = s->v.outer, .count = s->v.count, .inner = s->v.inner, .dy = ratio, .dx = dx, .scale = 1};
    be->spread(t->device, &spread);
    cru_binary_args times = {.rows = 1, .cols = big, .a = {dx, big, 1}, .b = {s->shifted, big, 1}, .y = dx};
    be->binary(t->device, CRU_BINARY_MUL, &times);
    pool_return(&t->memory, ratio, small);
    tape_grad_give(t, n->in[0], dx);
}

static const tape_op lse_op = {.name = "logsumexp", .backward = lse_backward};

/* max + log(sum(exp(x - max))) */
cru_tensor *cru_logsumexp(cru_tape *t, cru_tensor *x, int32_t axis)
{
    const cru_backend *be = t->device->backend;
    axis_view v = axis_of("logsumexp", x, axis);
    cru_assert(v.count > 0, "logsumexp: nothing to sum in %s", tape_text(x).text);
    tape_result r = tape_emit(t, &lse_op, &v.reduced, &x, 1, sizeof(lse_state));
    int64_t small = cru_tensor_count(r.out), big = cru_tensor_count(x);
    lse_state *s = r.state;
    *s = (lse_state){.v = v, .shifted = tape_floats(t, big), .total = tape_floats(t, small)};
    cru_reduce_args max = {.outer = v.outer, .count = v.count, .inner = v.inner, .x = x->data, .y = r.out->data};
    be->reduce(t->device, CRU_REDUCE_MAX, &max);
    cru_spread_args spread = {
        .outer = v.outer, .count = v.count, .inner = v.inner, .dy = r.out->data, .dx = s->shifted, .scale = 1};
    be->spread(t->device, &spread);
    cru_binary_args minus = {
        .rows = 1, .cols = big, .a = {x->data, big, 1}, .b = {s->shifted, big, 1}, .y = s->shifted};
    be->binary(t->device, CRU_BINARY_SUB, &minus);
    be->unary(t->device, CRU_UNARY_EXP, &(cru_unary_args){.n = big, .x = s->shifted, .y = s->shifted});
    cru_reduce_args sum = {.outer = v.outer, .count = v.count, .inner = v.inner, .x = s->shifted, .y = s->total};
    be->reduce(t->device, CRU_REDUCE_SUM, &sum);
    float *log_total = tape_floats(t, small);
    be->unary(t->device, CRU_UNARY_LOG, &(cru_unary_args){.n = small, .x = s->total, .y = log_total});
    cru_binary_args plus = {
        .rows = 1, .cols = small, .a = {r.out->data, small, 1}, .b = {log_total, small, 1}, .y = r.out->data};
    be->binary(t->device, CRU_BINARY_ADD, &plus);
    return r.out;
}

/* ---- spread of values ------------------------------------------------------------------------------------ */

/* x - mean along the axis, as rows along the last axis: outer*inner x count. */
static cru_tensor *rows_along(cru_tape *t, cru_tensor *x, int32_t axis)
{
    axis_view v = axis_of("var", x, axis);
    cru_tensor *cube = cru_reshape(t, x, cru_3d(v.outer, v.count, v.inner));
    if (v.inner > 1) cube = cru_permute(t, cube, (const int32_t[]){0, 2, 1, 3});
    return cru_as_matrix(t, cube, v.outer * v.inner, v.count);
}

cru_tensor *cru_var(cru_tape *t, cru_tensor *x, int32_t axis, int32_t ddof)
{
    axis_view v = axis_of("var", x, axis);
    cru_tensor *rows = rows_along(t, x, axis);
    cru_tensor *mean = cru_as_matrix(t, cru_mean(t, rows, 1), -1, 1);
    cru_tensor *sum = cru_sum(t, cru_square(t, cru_sub(t, rows, mean)), 1);
    cru_tensor *var = cru_scale(t, sum, 1.0f / (float)(v.count - ddof));
    return cru_reshape(t, var, cru_nd(v.reduced.rank, v.reduced.dim));
}

cru_tensor *cru_std(cru_tape *t, cru_tensor *x, int32_t axis, int32_t ddof, double eps)
{
    return cru_sqrt(t, cru_affine(t, cru_var(t, x, axis, ddof), 1, eps));
}

cru_tensor *cru_norm_l2(cru_tape *t, cru_tensor *x, int32_t axis, double eps)
{
    return cru_sqrt(t, cru_affine(t, cru_sum(t, cru_square(t, x), axis), 1, eps));
}
