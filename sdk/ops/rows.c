// SPDX-License-Identifier: Apache-2.0
/* Rows by index: gather, scatter, elements of rows, top-k. */
#include <crucible/draft/ops-basic.h>
#include <crucible/ops-basic.h>

#include "autograd/tape.h"
#include "ops/part.h"

typedef struct rows_state {
    cru_index ids;
    cru_reduce op;
    int32_t *where;
} rows_state;

static void scatter_add(cru_tape *t, cru_index ids, const float *x, const cru_tensor *into, float *dx, bool add)
{
    cru_scatter_args args = {.op = CRU_REDUCE_SUM,
                             .count = ids.count,
                             .rows = cru_tensor_rows(into),
                             .cols = cru_tensor_cols(into),
                             .ids = ids.ids,
                             .x = x,
                             .y = dx,
                             .accumulate = add};
    t->device->backend->scatter(t->device, &args);
}

/* ---- gather ---------------------------------------------------------------------------------------------- */

static void gather_backward(cru_tape *t, tape_node *n)
{
    const rows_state *s = n->state;
    bool add;
    float *dx = tape_grad(t, n->in[0], &add);
    if (dx) scatter_add(t, s->ids, n->out->grad, n->in[0], dx, add);
}

static void gather_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const rows_state *s = n->state;
    cru_tensor *sum = cru_scatter(t, dy, s->ids, cru_tensor_rows(n->in[0]), CRU_REDUCE_SUM);
    dx[0] = cru_reshape(t, sum, cru_shape_of(n->in[0]));
}

static const tape_op gather_op = {.name = "gather", .backward = gather_backward, .backward_graph = gather_graph};

cru_tensor *cru_gather(cru_tape *t, cru_tensor *x, cru_index ids)
{
    cru_tensor shape = tape_shape(x->rank, x->dim);
    shape.dim[0] = ids.count;
    tape_result r = tape_emit(t, &gather_op, &shape, &x, 1, sizeof(rows_state));
    *(rows_state *)r.state = (rows_state){.ids = ids};
    cru_gather_args args = {
        .count = ids.count, .cols = cru_tensor_cols(x), .ids = ids.ids, .x = x->data, .y = r.out->data};
    t->device->backend->gather(t->device, &args);
    return r.out;
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

static void scatter_backward(cru_tape *t, tape_node *n)
{
    const rows_state *s = n->state;
    cru_scatter_grad_args args = {.op = s->op,
                                  .count = s->ids.count,
                                  .rows = cru_tensor_rows(n->out),
                                  .cols = cru_tensor_cols(n->out),
                                  .ids = s->ids.ids,
                                  .dy = n->out->grad,
                                  .where = s->where};
    args.dx = tape_grad(t, n->in[0], &args.accumulate);
    if (args.dx) t->device->backend->scatter_grad(t->device, &args);
}

static void scatter_graph(cru_tape *t, tape_node *n, cru_tensor *dy, cru_tensor **dx)
{
    const rows_state *s = n->state;
    cru_assert(s->op == CRU_REDUCE_SUM, "grad: only the sum of a scatter can be differentiated twice");
    dx[0] = cru_reshape(t, cru_gather(t, dy, s->ids), cru_shape_of(n->in[0]));
}

static const tape_op scatter_op = {.name = "scatter", .backward = scatter_backward, .backward_graph = scatter_graph};

cru_tensor *cru_scatter(cru_tape *t, cru_tensor *x, cru_index ids, int64_t rows, cru_reduce op)
{
    cru_assert(ids.count == cru_tensor_rows(x), "scatter: %lld ids for %s", (long long)ids.count, tape_text(x).text);
    cru_tensor shape = tape_shape(x->rank, x->dim);
    shape.dim[0] = rows;
    tape_result r = tape_emit(t, &scatter_op, &shape, &x, 1, sizeof(rows_state));
    rows_state *s = r.state;
    *s = (rows_state){.ids = ids, .op = op};
    if (op == CRU_REDUCE_MAX || op == CRU_REDUCE_MIN) s->where = tape_ints(t, cru_tensor_count(r.out));
    cru_scatter_args args = {.op = op,
                             .count = ids.count,
                             .rows = rows,
                             .cols = cru_tensor_cols(x),
                             .ids = ids.ids,
                             .x = x->data,
                             .y = r.out->data,
                             .where = s->where};
    t->device->backend->scatter(t->device, &args);
    return r.out;
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

static void copy_values(cru_tape *t, float *to, const float *from, int64_t n)
{
    cru_copy_args args = {.rows = 1, .cols = n, .x = from, .ldx = n, .y = to, .ldy = n, .scale = 1};
    t->device->backend->copy(t->device, &args);
}

void cru_assign(cru_tape *t, cru_tensor *table, const cru_tensor *x)
{
    cru_assert(cru_tensor_count(table) == cru_tensor_count(x), "assign: %s to %s", tape_text(x).text,
               tape_text(table).text);
    copy_values(t, table->data, x->data, cru_tensor_count(x));
}

void cru_put_rows(cru_tape *t, cru_tensor *table, cru_index ids, const cru_tensor *x)
{
    const int64_t cols = cru_tensor_cols(table);
    cru_assert(ids.count == cru_tensor_rows(x) && cols == cru_tensor_cols(x), "put_rows: %s into %lld rows of %s",
               tape_text(x).text, (long long)ids.count, tape_text(table).text);
    const int32_t *row = cru_index_host(t, ids);
    for (int64_t i = 0; i < ids.count; i++) copy_values(t, table->data + row[i] * cols, x->data + i * cols, cols);
}

/* ---- elements of rows ------------------------------------------------------------------------------------------ */

typedef struct take_state {
    cru_index ids;
    int64_t k;
} take_state;

static void take_backward(cru_tape *t, tape_node *n)
{
    const take_state *s = n->state;
    cru_tensor *x = n->in[0];
    float *dx = grad_or_zeros(t, x);
    if (!dx) return;
    cru_take_args args = {.rows = cru_tensor_rows(x),
                          .cols = cru_tensor_cols(x),
                          .k = s->k,
                          .ids = s->ids.ids,
                          .x = n->out->grad,
                          .y = dx};
    t->device->backend->place(t->device, &args);
}

static const tape_op take_op = {.name = "take", .backward = take_backward};

cru_tensor *cru_pick(cru_tape *t, cru_tensor *x, cru_index cols)
{
    cru_assert(cols.count == cru_tensor_rows(x), "pick: %lld columns for %s", (long long)cols.count, tape_text(x).text);
    cru_tensor shape = tape_shape1(cols.count);
    tape_result r = tape_emit(t, &take_op, &shape, &x, 1, sizeof(take_state));
    *(take_state *)r.state = (take_state){.ids = cols, .k = 1};
    cru_take_args args = {
        .rows = cols.count, .cols = cru_tensor_cols(x), .k = 1, .ids = cols.ids, .x = x->data, .y = r.out->data};
    t->device->backend->take(t->device, &args);
    return r.out;
}

cru_tensor *cru_one_hot(cru_tape *t, cru_index ids, int64_t classes)
{
    cru_tensor *y = cru_tensor_filled(t, cru_2d(ids.count, classes), 0);
    cru_tensor *one = cru_tensor_filled(t, cru_1d(ids.count), 1);
    cru_take_args args = {.rows = ids.count, .cols = classes, .k = 1, .ids = ids.ids, .x = one->data, .y = y->data};
    t->device->backend->place(t->device, &args);
    return y;
}

cru_tensor *cru_mask(cru_tape *t, cru_index ids, int64_t n)
{
    cru_tensor *one = cru_tensor_filled(t, cru_1d(ids.count), 1);
    return cru_scatter(t, one, ids, n, CRU_REDUCE_MAX);
}

static cru_top top(cru_tape *t, cru_tensor *x, int64_t k, bool smallest)
{
    int64_t rows = cru_tensor_rows(x), cols = cru_tensor_cols(x);
    cru_assert(k >= 0 && k <= cols, "topk: %lld of %s", (long long)k, tape_text(x).text);
    cru_tensor shape = tape_shape2(rows, k);
    tape_result r = tape_emit(t, &take_op, &shape, &x, 1, sizeof(take_state));
    cru_topk_args args = {.rows = rows,
                          .cols = cols,
                          .k = k,
                          .x = x->data,
                          .values = r.out->data,
                          .ids = tape_ints(t, rows * k),
                          .smallest = smallest};
    t->device->backend->topk(t->device, &args);
    cru_index ids = {.ids = args.ids, .count = rows * k};
    *(take_state *)r.state = (take_state){.ids = ids, .k = k};
    return (cru_top){.values = r.out, .ids = ids};
}

cru_top cru_topk(cru_tape *t, cru_tensor *x, int64_t k)
{
    return top(t, x, k, false);
}

cru_top cru_bottomk(cru_tape *t, cru_tensor *x, int64_t k)
{
    return top(t, x, k, true);
}

cru_top cru_sort(cru_tape *t, cru_tensor *x)
{
    return top(t, x, cru_tensor_cols(x), false);
}
