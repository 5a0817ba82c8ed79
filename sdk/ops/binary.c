// SPDX-License-Identifier: Apache-2.0
/* Two operands with broadcasting.
 *
 * Every allowed pair of shapes is a rows x cols rectangle in which either side may repeat along rows or along columns,
 * which is what the kernels take (cru_operand). */
#include <crucible/ops-basic.h>

#include "autograd/tape.h"

typedef struct layout {
    int64_t rows, cols;
    int64_t a_row, a_col, b_row, b_col;
} layout;

typedef struct binary_state {
    cru_binary op;
    layout at;
} binary_state;

static bool same_shape(const cru_tensor *a, const cru_tensor *b)
{
    for (int32_t i = 0; i < 4; i++)
        if (a->dim[i] != b->dim[i]) return false;
    return true;
}

static int64_t last_dim(const cru_tensor *x)
{
    return x->rank ? x->dim[x->rank - 1] : 1;
}

/* A row for every row of `big`: all its numbers lie along the last axis of `big`. */
static bool is_row_of(const cru_tensor *small, const cru_tensor *big)
{
    return big->rank >= 2 && last_dim(small) == last_dim(big) && cru_tensor_count(small) == last_dim(big);
}

/* A number for every row: `big`'s shape with a last axis of 1. */
static bool is_column_of(const cru_tensor *small, const cru_tensor *big)
{
    if (big->rank < 2 || small->rank != big->rank || last_dim(small) != 1) return false;
    return cru_tensor_count(small) * last_dim(big) == cru_tensor_count(big);
}

static bool repeats(const cru_tensor *small, const cru_tensor *big, int64_t *row, int64_t *col)
{
    if (cru_tensor_count(small) == 1)
        *row = 0, *col = 0;
    else if (is_row_of(small, big))
        *row = 0, *col = 1;
    else if (is_column_of(small, big))
        *row = 1, *col = 0;
    else
        return false;
    return true;
}

static const cru_tensor *arrange(const char *name, const cru_tensor *a, const cru_tensor *b, layout *at)
{
    if (same_shape(a, b)) {
        int64_t n = cru_tensor_count(a);
        *at = (layout){.rows = 1, .cols = n, .a_row = n, .a_col = 1, .b_row = n, .b_col = 1};
        return a->rank >= b->rank ? a : b;
    }
    int64_t row = 0, col = 0;
    const bool b_small = repeats(b, a, &row, &col); /* not who has more numbers: the larger one may have no row */
    const cru_tensor *big = b_small ? a : b;
    cru_assert(b_small || repeats(a, b, &row, &col), "%s: shapes %s and %s do not go together", name, tape_text(a).text,
               tape_text(b).text);
    const int64_t cols = last_dim(big);
    int64_t rows = cols ? cru_tensor_count(big) / cols : 0;
    if (b_small)
        *at = (layout){.rows = rows, .cols = cols, .a_row = cols, .a_col = 1, .b_row = row, .b_col = col};
    else
        *at = (layout){.rows = rows, .cols = cols, .a_row = row, .a_col = col, .b_row = cols, .b_col = 1};
    return big;
}

static void binary_backward(cru_tape *t, tape_node *n)
{
    const binary_state *s = n->state;
    cru_binary_grad_args args = {
        .rows = s->at.rows,
        .cols = s->at.cols,
        .a = {n->in[0]->data, s->at.a_row, s->at.a_col},
        .b = {n->in[1]->data, s->at.b_row, s->at.b_col},
        .dy = n->out->grad,
    };
    for (int32_t side = 0; side < 2; side++) {
        args.dx = tape_grad(t, n->in[side], &args.accumulate);
        args.to_b = side == 1;
        if (args.dx) t->device->backend->binary_grad(t->device, s->op, &args);
    }
}

/* Sums the repeated axes of a gradient away again. */
static cru_tensor *fold_to(cru_tape *t, cru_tensor *g, const cru_tensor *x)
{
    if (same_shape(g, x)) return cru_reshape(t, g, cru_shape_of(x));
    cru_tensor *matrix = cru_as_matrix(t, g, -1, last_dim(g));
    cru_tensor *sum;
    if (cru_tensor_count(x) == 1)
        sum = cru_sum(t, g, CRU_ALL);
    else
        sum = cru_sum(t, matrix, is_row_of(x, g) ? 0 : 1);
    return cru_reshape(t, sum, cru_shape_of(x));
}

static void binary_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const binary_state *s = n->state;
    cru_tensor *a = n->in[0], *b = n->in[1];
    cru_tensor *to_a = dy, *to_b = dy;
    switch (s->op) {
    case CRU_BINARY_ADD:
        break;
    case CRU_BINARY_SUB:
        to_b = cru_neg(t, dy);
        break;
    case CRU_BINARY_MUL:
        to_a = cru_mul(t, dy, b);
        to_b = cru_mul(t, dy, a);
        break;
    case CRU_BINARY_DIV:
        to_a = cru_div(t, dy, b);
        to_b = cru_neg(t, cru_mul(t, to_a, cru_div(t, a, b)));
        break;
    default:
        cru_panic(CRU_FAILED, "grad: maximum and minimum cannot be differentiated twice");
    }
    if (a->needs_grad) dx[0] = fold_to(t, to_a, a);
    if (b->needs_grad) dx[1] = fold_to(t, to_b, b);
}

static const tape_op binary_ops[CRU_BINARY_COUNT] = {
    [CRU_BINARY_ADD] = {"add", binary_backward, binary_graph},
    [CRU_BINARY_SUB] = {"sub", binary_backward, binary_graph},
    [CRU_BINARY_MUL] = {"mul", binary_backward, binary_graph},
    [CRU_BINARY_DIV] = {"div", binary_backward, binary_graph},
    [CRU_BINARY_MAX] = {"maximum", binary_backward, binary_graph},
    [CRU_BINARY_MIN] = {"minimum", binary_backward, binary_graph},
};

static cru_tensor *binary(cru_tape *t, cru_binary op, const char *name, cru_tensor *a, cru_tensor *b)
{
    layout at;
    const cru_tensor *shape = arrange(name, a, b, &at);
    tape_result r = tape_emit(t, &binary_ops[op], shape, (cru_tensor *[]){a, b}, 2, sizeof(binary_state));
    *(binary_state *)r.state = (binary_state){.op = op, .at = at};
    cru_binary_args args = {.rows = at.rows,
                            .cols = at.cols,
                            .a = {a->data, at.a_row, at.a_col},
                            .b = {b->data, at.b_row, at.b_col},
                            .y = r.out->data};
    t->device->backend->binary(t->device, op, &args);
    return r.out;
}

cru_tensor *cru_add(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_ADD, "add", a, b);
}

cru_tensor *cru_sub(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_SUB, "sub", a, b);
}

cru_tensor *cru_mul(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_MUL, "mul", a, b);
}

cru_tensor *cru_div(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_DIV, "div", a, b);
}

cru_tensor *cru_maximum(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_MAX, "maximum", a, b);
}

cru_tensor *cru_minimum(cru_tape *t, cru_tensor *a, cru_tensor *b)
{
    return binary(t, CRU_BINARY_MIN, "minimum", a, b);
}

cru_tensor *cru_where(cru_tape *t, cru_tensor *mask, cru_tensor *a, cru_tensor *b)
{
    cru_assert(same_shape(mask, a) && same_shape(a, b), "where: shapes %s, %s and %s differ", tape_text(mask).text,
               tape_text(a).text, tape_text(b).text);
    cru_tensor *keep = cru_detach(t, mask);
    cru_tensor *rest = cru_mul(t, cru_affine(t, keep, -1, 1), b);
    return cru_add(t, cru_mul(t, keep, a), rest);
}

/* ---- lerp: one pass instead of three -------------------------------------------------------------------------- */

static void lerp_backward(cru_tape *t, tape_node *n)
{
    float w = *(const float *)n->state;
    const float factor[2] = {1 - w, w};
    int64_t count = cru_tensor_count(n->out);
    for (int32_t side = 0; side < 2; side++) {
        cru_copy_args args = {
            .rows = 1, .cols = count, .x = n->out->grad, .ldx = count, .ldy = count, .scale = factor[side]};
        args.y = tape_grad(t, n->in[side], &args.accumulate);
        if (args.y) t->device->backend->copy(t->device, &args);
    }
}

static void lerp_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    float w = *(const float *)n->state;
    if (n->in[0]->needs_grad) dx[0] = cru_scale(t, dy, 1 - w);
    if (n->in[1]->needs_grad) dx[1] = cru_scale(t, dy, w);
}

static const tape_op lerp_op = {.name = "lerp", .backward = lerp_backward, .backward_graph = lerp_graph};

cru_tensor *cru_lerp(cru_tape *t, cru_tensor *a, cru_tensor *b, double w)
{
    cru_assert(same_shape(a, b), "lerp: shapes %s and %s differ", tape_text(a).text, tape_text(b).text);
    tape_result r = tape_emit(t, &lerp_op, a, (cru_tensor *[]){a, b}, 2, sizeof(float));
    const float share = (float)w;
    *(float *)r.state = share;
    int64_t n = cru_tensor_count(a);
    cru_copy_args args = {.rows = 1, .cols = n, .x = a->data, .ldx = n, .y = r.out->data, .ldy = n, .scale = 1 - share};
    t->device->backend->copy(t->device, &args);
    args.x = b->data;
    args.scale = share;
    args.accumulate = true;
    t->device->backend->copy(t->device, &args);
    return r.out;
}

cru_tensor *cru_plus(cru_tape *t, cru_tensor *sum, double weight, cru_tensor *term)
{
    cru_tensor *weighted = cru_scale(t, term, weight);
    return sum ? cru_add(t, sum, weighted) : weighted;
}
