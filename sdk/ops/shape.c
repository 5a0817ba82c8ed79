// SPDX-License-Identifier: Apache-2.0
/* Views, permutations, concatenation, slices, repetition. */
#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"
#include "ops/part.h"

/* ---- reshape: a view; the gradient is handed on as it is -------------------------------------------------------- */

static void reshape_backward(cru_tape *t, tape_node *n)
{
    tape_grad_give(t, n->in[0], tape_take_grad(n));
}

static void reshape_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    dx[0] = cru_reshape(t, dy, cru_shape_of(n->in[0]));
}

static const tape_op reshape_op = {.name = "reshape", .backward = reshape_backward, .backward_graph = reshape_graph};

cru_tensor *cru_reshape(cru_tape *t, cru_tensor *x, cru_dims shape)
{
    cru_tensor out = tape_shape(shape.rank, shape.dim);
    cru_assert(cru_tensor_count(&out) == cru_tensor_count(x), "reshape: %s into %s", tape_text(x).text,
               tape_text(&out).text);
    out.data = x->data;
    return tape_emit_view(t, &reshape_op, &out, &x, 1, 0).out;
}

cru_tensor *cru_as_matrix(cru_tape *t, cru_tensor *x, int64_t rows, int64_t cols)
{
    int64_t count = cru_tensor_count(x);
    if (rows < 0) rows = cols ? count / cols : 0;
    if (cols < 0) cols = rows ? count / rows : 0;
    return cru_reshape(t, x, cru_2d(rows, cols));
}

/* ---- permute --------------------------------------------------------------------------------------------- */

typedef struct permute_state {
    int32_t order[4];
} permute_state;

static void inverse_order(const int32_t order[4], int32_t back[4])
{
    for (int32_t i = 0; i < 4; i++) back[order[i]] = i;
}

static void permute_backward(cru_tape *t, tape_node *n)
{
    cru_permute_args args = {.x = n->out->grad};
    for (int32_t i = 0; i < 4; i++) args.dim[i] = n->out->dim[i];
    inverse_order(((const permute_state *)n->state)->order, args.order);
    args.y = tape_grad(t, n->in[0], &args.accumulate);
    if (args.y) t->device->backend->permute(t->device, &args);
}

static void permute_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    int32_t back[4];
    inverse_order(((const permute_state *)n->state)->order, back);
    dx[0] = cru_permute(t, dy, back);
}

static const tape_op permute_op = {.name = "permute", .backward = permute_backward, .backward_graph = permute_graph};

cru_tensor *cru_permute(cru_tape *t, cru_tensor *x, const int32_t order[4])
{
    int64_t dim[4];
    uint32_t seen = 0;
    for (int32_t i = 0; i < 4; i++) {
        cru_assert(order[i] >= 0 && order[i] < 4, "permute: no axis %d", order[i]);
        seen |= 1u << order[i];
        dim[i] = x->dim[order[i]];
    }
    cru_assert(seen == 15, "permute: an axis of %s is named twice", tape_text(x).text);
    cru_tensor shape = tape_shape(4, dim);
    shape.rank = x->rank;
    tape_result r = tape_emit(t, &permute_op, &shape, &x, 1, sizeof(permute_state));
    permute_state *s = r.state;
    cru_permute_args args = {.x = x->data, .y = r.out->data};
    for (int32_t i = 0; i < 4; i++) {
        s->order[i] = args.order[i] = order[i];
        args.dim[i] = x->dim[i];
    }
    t->device->backend->permute(t->device, &args);
    return r.out;
}

cru_tensor *cru_transposed(cru_tape *t, cru_tensor *x)
{
    cru_assert(x->rank == 2, "transposed: %s is not a matrix", tape_text(x).text);
    return cru_permute(t, x, (const int32_t[]){1, 0, 2, 3});
}

/* ---- concat ---------------------------------------------------------------------------------------------- */

/* Column blocks of the result, one per input. Stacking rows is the same with every input seen as one long row. */
typedef struct concat_state {
    int64_t rows, cols;
    bool stacked;
} concat_state;

static int64_t block_cols(const concat_state *s, const cru_tensor *x)
{
    return s->stacked ? cru_tensor_count(x) : cru_tensor_cols(x);
}

static void concat_backward(cru_tape *t, tape_node *n)
{
    const concat_state *s = n->state;
    int64_t at = 0;
    for (int32_t i = 0; i < n->in_count; i++) {
        int64_t cols = block_cols(s, n->in[i]);
        cru_copy_args args = {
            .rows = s->rows, .cols = cols, .x = n->out->grad + at, .ldx = s->cols, .ldy = cols, .scale = 1};
        args.y = tape_grad(t, n->in[i], &args.accumulate);
        if (args.y) t->device->backend->copy(t->device, &args);
        at += cols;
    }
}

static void concat_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const concat_state *s = n->state;
    int64_t at = 0;
    for (int32_t i = 0; i < n->in_count; i++) {
        int64_t size = s->stacked ? cru_tensor_rows(n->in[i]) : cru_tensor_cols(n->in[i]);
        if (n->in[i]->needs_grad)
            dx[i] = s->stacked ? cru_slice_rows(t, dy, at, at + size) : cru_slice_cols(t, dy, at, at + size);
        at += size;
    }
}

static const tape_op concat_op = {.name = "concat", .backward = concat_backward, .backward_graph = concat_graph};

static cru_tensor *concat(cru_tape *t, cru_tensor *const *x, int64_t count, const cru_tensor *shape, concat_state state)
{
    tape_result r = tape_emit(t, &concat_op, shape, x, (int32_t)count, sizeof(concat_state));
    *(concat_state *)r.state = state;
    int64_t at = 0;
    for (int64_t i = 0; i < count; i++) {
        int64_t cols = block_cols(&state, x[i]);
        cru_copy_args args = {.rows = state.rows,
                              .cols = cols,
                              .x = x[i]->data,
                              .ldx = cols,
                              .y = r.out->data + at,
                              .ldy = state.cols,
                              .scale = 1};
        t->device->backend->copy(t->device, &args);
        at += cols;
    }
    return r.out;
}

cru_tensor *cru_concat_cols(cru_tape *t, cru_tensor *const *x, int64_t count)
{
    cru_assert(count > 0, "concat_cols: nothing to join");
    int64_t rows = cru_tensor_rows(x[0]), cols = 0;
    for (int64_t i = 0; i < count; i++) {
        cru_assert(cru_tensor_rows(x[i]) == rows, "concat_cols: %s beside %s", tape_text(x[i]).text,
                   tape_text(x[0]).text);
        cols += cru_tensor_cols(x[i]);
    }
    cru_tensor shape = tape_shape2(rows, cols);
    return concat(t, x, count, &shape, (concat_state){.rows = rows, .cols = cols});
}

cru_tensor *cru_concat_rows(cru_tape *t, cru_tensor *const *x, int64_t count)
{
    cru_assert(count > 0, "concat_rows: nothing to join");
    int64_t cols = cru_tensor_cols(x[0]), rows = 0;
    for (int64_t i = 0; i < count; i++) {
        cru_assert(cru_tensor_cols(x[i]) == cols, "concat_rows: %s below %s", tape_text(x[i]).text,
                   tape_text(x[0]).text);
        rows += cru_tensor_rows(x[i]);
    }
    cru_tensor shape = *x[0];
    shape.dim[0] = rows;
    if (shape.rank == 0) shape.rank = 1;
    return concat(t, x, count, &shape, (concat_state){.rows = 1, .cols = rows * cols, .stacked = true});
}

/* ---- slices ---------------------------------------------------------------------------------------------- */

static void slice_backward(cru_tape *t, tape_node *n)
{
    part_add(t, n->in[0], n->state, n->out->grad);
}

static void slice_cols_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const part *p = n->state;
    int64_t rows = p->rows, right = p->ld - p->at - p->cols;
    cru_tensor *pieces[3];
    int64_t count = 0;
    if (p->at) pieces[count++] = cru_tensor_filled(t, cru_2d(rows, p->at), 0);
    pieces[count++] = dy;
    if (right) pieces[count++] = cru_tensor_filled(t, cru_2d(rows, right), 0);
    dx[0] = cru_reshape(t, cru_concat_cols(t, pieces, count), cru_shape_of(n->in[0]));
}

static void slice_rows_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const part *p = n->state;
    int64_t total = cru_tensor_count(n->in[0]), below = total - p->at - p->cols;
    cru_tensor *pieces[3];
    int64_t count = 0;
    if (p->at) pieces[count++] = cru_tensor_filled(t, cru_2d(1, p->at), 0);
    pieces[count++] = cru_as_matrix(t, dy, 1, -1);
    if (below) pieces[count++] = cru_tensor_filled(t, cru_2d(1, below), 0);
    dx[0] = cru_reshape(t, cru_concat_cols(t, pieces, count), cru_shape_of(n->in[0]));
}

static const tape_op slice_cols_op = {
    .name = "slice_cols", .backward = slice_backward, .backward_graph = slice_cols_graph};
static const tape_op slice_rows_op = {
    .name = "slice_rows", .backward = slice_backward, .backward_graph = slice_rows_graph};

cru_tensor *cru_slice_cols(cru_tape *t, cru_tensor *x, int64_t from, int64_t to)
{
    int64_t rows = cru_tensor_rows(x), cols = cru_tensor_cols(x);
    cru_assert(from >= 0 && from <= to && to <= cols, "slice_cols: %lld..%lld of %s", (long long)from, (long long)to,
               tape_text(x).text);
    cru_tensor shape = tape_shape2(rows, to - from);
    tape_result r = tape_emit(t, &slice_cols_op, &shape, &x, 1, sizeof(part));
    part *p = r.state;
    *p = (part){.at = from, .rows = rows, .cols = to - from, .ld = cols};
    cru_copy_args args = {
        .rows = rows, .cols = p->cols, .x = x->data + from, .ldx = cols, .y = r.out->data, .ldy = p->cols, .scale = 1};
    t->device->backend->copy(t->device, &args);
    return r.out;
}

cru_tensor *cru_slice_rows(cru_tape *t, cru_tensor *x, int64_t from, int64_t to)
{
    cru_assert(from >= 0 && from <= to && to <= cru_tensor_rows(x), "slice_rows: %lld..%lld of %s", (long long)from,
               (long long)to, tape_text(x).text);
    int64_t cols = cru_tensor_cols(x);
    cru_tensor shape = tape_shape(x->rank, x->dim);
    shape.dim[0] = to - from;
    shape.data = x->data + from * cols;
    tape_result r = tape_emit_view(t, &slice_rows_op, &shape, &x, 1, sizeof(part));
    int64_t count = (to - from) * cols;
    *(part *)r.state = (part){.at = from * cols, .rows = 1, .cols = count, .ld = count};
    return r.out;
}

/* ---- broadcast ------------------------------------------------------------------------------------------- */

typedef struct broadcast_state {
    int64_t outer, count, inner;
} broadcast_state;

static void broadcast_backward(cru_tape *t, tape_node *n)
{
    const broadcast_state *s = n->state;
    float *sum = tape_floats(t, s->outer * s->inner);
    cru_reduce_args args = {.outer = s->outer, .count = s->count, .inner = s->inner, .x = n->out->grad, .y = sum};
    t->device->backend->reduce(t->device, CRU_REDUCE_SUM, &args);
    tape_grad_give(t, n->in[0], sum);
}

static void broadcast_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const broadcast_state *s = n->state;
    cru_tensor *sum;
    if (s->outer == 1 && s->inner == 1)
        sum = cru_sum(t, dy, CRU_ALL);
    else
        sum = cru_sum(t, dy, s->inner == 1 ? 1 : 0);
    dx[0] = cru_reshape(t, sum, cru_shape_of(n->in[0]));
}

static const tape_op broadcast_op = {
    .name = "broadcast", .backward = broadcast_backward, .backward_graph = broadcast_graph};

cru_tensor *cru_broadcast(cru_tape *t, cru_tensor *x, int64_t rows, int64_t cols)
{
    int64_t n = cru_tensor_count(x);
    broadcast_state s;
    if (n == 1)
        s = (broadcast_state){1, rows * cols, 1};
    else if (n == cols && cru_tensor_cols(x) != 1)
        s = (broadcast_state){1, rows, cols};
    else if (n == cols && x->rank == 1)
        s = (broadcast_state){1, rows, cols};
    else
        s = (broadcast_state){rows, cols, 1};
    cru_assert(n == s.outer * s.inner, "broadcast: %s to %lldx%lld", tape_text(x).text, (long long)rows,
               (long long)cols);
    cru_tensor shape = tape_shape2(rows, cols);
    tape_result r = tape_emit(t, &broadcast_op, &shape, &x, 1, sizeof(broadcast_state));
    *(broadcast_state *)r.state = s;
    cru_spread_args args = {
        .outer = s.outer, .count = s.count, .inner = s.inner, .dy = x->data, .dx = r.out->data, .scale = 1};
    t->device->backend->spread(t->device, &args);
    return r.out;
}
