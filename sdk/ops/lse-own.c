// SPDX-License-Identifier: Apache-2.0
/* Log-sum-exp over the inner products of a matrix's rows with each other: cru_lse_products of a tensor with itself.
 *
 * The products are symmetric, so only square tiles on and right of the diagonal are computed: some rows I against some
 * rows J that are the same or come later. Those right of the diagonal also serve the rows J, transposed. Where no
 * product can be large, exponentials need no shift by the largest of their row, and e_ij = e_ji holds for them, too.
 * Those of some thousand rows are kept for the gradient; of more they are made again. */
#include <math.h>

#include "ops/lse.h"
#include "ops/tiles.h"

_Static_assert(TILE *TILE <= LSE_BLOCK, "a tile is larger than a block");

/* With |product| <= 60 sums of 2^31 exponentials, their reciprocals and products of both stay finite and normal. */
static const float most_product = 60;

/* Floats of exponentials that a step may keep: 64 MiB, all pairs of 5,500 rows. */
static const int64_t most_kept = 1 << 24;

typedef struct own_products {
    float scale;
    float *kept; /* tile after tile, or NULL */
} own_products;

/* e = exp(scale x_i x_j) of a tile */
static void exponentials(cru_tape *t, const cru_tensor *x, const tile *b, float scale, float *e)
{
    tile_products(t, x, b, scale, e);
    const cru_unary_args all = {.n = b->rows * b->cols, .x = e, .y = e};
    t->device->backend->unary(t->device, CRU_UNARY_EXP, &all);
}

/* y = a op b, n numbers; y may be a or b */
static void combine(cru_device *device, cru_binary op, int64_t n, const float *a, const float *b, float *y)
{
    const cru_binary_args args = {.rows = 1, .cols = n, .a = {a, n, 1}, .b = {b, n, 1}, .y = y};
    device->backend->binary(device, op, &args);
}

/* y_ij = e_ij (u_i + u_j) */
static void weigh(cru_device *device, const tile *b, const float *u, const float *e, float *y)
{
    const cru_binary_args pairs = {
        .rows = b->rows, .cols = b->cols, .a = {u + b->first, 1, 0}, .b = {u + b->other, 0, 1}, .y = y};
    device->backend->binary(device, CRU_BINARY_ADD, &pairs);
    combine(device, CRU_BINARY_MUL, b->rows * b->cols, e, y, y);
}

/* dy_i / sum_j e_ij: what an exponential in row i passes on */
static float *shares(cru_tape *t, const tape_node *n, int64_t count)
{
    float *u = tape_floats(t, count);
    const cru_backend *be = t->device->backend;
    be->unary(t->device, CRU_UNARY_SCALE, &(cru_unary_args){.n = count, .x = n->out->data, .y = u, .a = -1});
    be->unary(t->device, CRU_UNARY_EXP, &(cru_unary_args){.n = count, .x = u, .y = u});
    combine(t->device, CRU_BINARY_MUL, count, u, n->out->grad, u);
    return u;
}

/* x_i stands in row i and in column i: dx_i = scale sum_j e_ij (u_i + u_j) x_j */
static void own_backward(cru_tape *t, tape_node *n)
{
    const cru_tensor *x = n->in[0];
    const int64_t rows = cru_tensor_rows(x), c = cru_tensor_cols(x);
    const cru_backend *be = t->device->backend;
    const own_products *p = n->state;
    float *u = shares(t, n, rows), *dx = tape_floats(t, rows * c);
    float *sums = tape_floats(t, tile_floats(rows)), *e = p->kept ? p->kept : tape_floats(t, tile_floats(rows));
    be->fill(t->device, dx, rows * c, 0);
    for (tile b = {0}; next_tile(rows, &b); e += p->kept ? b.rows * b.cols : 0) {
        if (!p->kept) exponentials(t, x, &b, p->scale, e);
        weigh(t->device, &b, u, e, sums);
        tile_gradient(t, x, &b, p->scale, sums, dx);
    }
    if (!p->kept) pool_return(&t->memory, e, tile_floats(rows));
    pool_return(&t->memory, sums, tile_floats(rows));
    tape_grad_give(t, n->in[0], dx);
}

static const tape_op own_op = {.name = "lse_products", .backward = own_backward};

/* No product is larger than that of the longest row with itself. */
static bool products_are_small(cru_tape *t, const cru_tensor *x, float scale)
{
    const int64_t rows = cru_tensor_rows(x), c = cru_tensor_cols(x);
    const cru_backend *be = t->device->backend;
    float *squares = tape_floats(t, rows * c), *sums = tape_floats(t, rows), *largest = tape_floats(t, 1), host;
    combine(t->device, CRU_BINARY_MUL, rows * c, x->data, x->data, squares);
    cru_reduce_args by_row = {.outer = rows, .count = c, .inner = 1, .x = squares, .y = sums};
    be->reduce(t->device, CRU_REDUCE_SUM, &by_row);
    cru_reduce_args all = {.outer = 1, .count = rows, .inner = 1, .x = sums, .y = largest};
    be->reduce(t->device, CRU_REDUCE_MAX, &all);
    be->download(t->device, &host, largest, sizeof host);
    pool_return(&t->memory, squares, rows * c);
    return fabsf(scale) * host <= most_product; /* not when it is NaN */
}

static int64_t all_tiles(int64_t n)
{
    int64_t count = 0;
    for (tile b = {0}; next_tile(n, &b);) count += b.rows * b.cols;
    return count;
}

static bool keeps(cru_tape *t, const cru_tensor *x)
{
    return t->recording && tape_needs(t, x) && all_tiles(cru_tensor_rows(x)) <= most_kept;
}

cru_tensor *lse_own_products(cru_tape *t, cru_tensor *x, float scale)
{
    if (!products_are_small(t, x, scale)) return NULL;
    const int64_t n = cru_tensor_rows(x);
    const cru_backend *be = t->device->backend;
    const cru_tensor shape = tape_shape1(n);
    tape_result r = tape_emit(t, &own_op, &shape, &x, 1, sizeof(own_products));
    own_products *p = r.state;
    *p = (own_products){scale, keeps(t, x) ? tape_floats(t, all_tiles(n)) : NULL};
    float *e = p->kept ? p->kept : tape_floats(t, tile_floats(n));
    float *sums = r.out->data, *part = tape_floats(t, (n < TILE ? n : TILE));
    be->fill(t->device, sums, n, 0);
    for (tile b = {0}; next_tile(n, &b); e += p->kept ? b.rows * b.cols : 0) {
        exponentials(t, x, &b, scale, e);
        cru_reduce_args by_row = {.outer = b.rows, .count = b.cols, .inner = 1, .x = e, .y = part};
        be->reduce(t->device, CRU_REDUCE_SUM, &by_row);
        combine(t->device, CRU_BINARY_ADD, b.rows, sums + b.first, part, sums + b.first);
        if (on_diagonal(&b)) continue;
        cru_reduce_args by_column = {.outer = 1, .count = b.rows, .inner = b.cols, .x = e, .y = part};
        be->reduce(t->device, CRU_REDUCE_SUM, &by_column);
        combine(t->device, CRU_BINARY_ADD, b.cols, sums + b.other, part, sums + b.other);
    }
    be->unary(t->device, CRU_UNARY_LOG, &(cru_unary_args){.n = n, .x = sums, .y = sums});
    if (!p->kept) pool_return(&t->memory, e, tile_floats(n));
    return r.out;
}
