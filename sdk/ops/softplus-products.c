// SPDX-License-Identifier: Apache-2.0
/* The weighted sum of the softplus of all inner products, tile by tile: the n x n matrix never exists. */
#include <crucible/draft/softplus-products.h>

#include "ops/tiles.h"

/* s = f(sign x_i x_j) of a tile */
static void mapped_products(cru_tape *t, const cru_tensor *x, const tile *b, cru_unary f, float sign, float *s)
{
    tile_products(t, x, b, sign, s);
    t->device->backend->unary(t->device, f, &(cru_unary_args){.n = b->rows * b->cols, .x = s, .y = s});
}

/* s <- s w */
static void weigh(cru_tape *t, const cru_tensor *v, const tile *b, float *w, float *s)
{
    const int64_t size = b->rows * b->cols;
    mapped_products(t, v, b, CRU_UNARY_SIGMOID, -1, w);
    const cru_binary_args args = {.rows = 1, .cols = size, .a = {s, size, 1}, .b = {w, size, 1}, .y = s};
    t->device->backend->binary(t->device, CRU_BINARY_MUL, &args);
}

/* w and the products are symmetric: dx_i = 2 sum_j w_ij sigmoid(<x_i, x_j>) x_j dy. */
static void softplus_products_backward(cru_tape *t, tape_node *node)
{
    const cru_tensor *x = node->in[0], *v = node->in[1];
    const int64_t n = cru_tensor_rows(x), count = cru_tensor_count(x);
    const cru_backend *be = t->device->backend;
    float *dx = tape_floats(t, count), *s = tape_floats(t, tile_floats(n)), *w = tape_floats(t, tile_floats(n));
    be->fill(t->device, dx, count, 0);
    for (tile b = {0}; next_tile(n, &b);) {
        mapped_products(t, x, &b, CRU_UNARY_SIGMOID, 1, s);
        if (v != x) weigh(t, v, &b, w, s);
        tile_gradient(t, x, &b, 2, s, dx);
    }
    cru_binary_args scale = {.rows = 1, .cols = count, .a = {dx, count, 1}, .y = dx};
    scale.b.x = node->out->grad;
    be->binary(t->device, CRU_BINARY_MUL, &scale);
    pool_return(&t->memory, s, tile_floats(n));
    pool_return(&t->memory, w, tile_floats(n));
    tape_grad_give(t, node->in[0], dx);
}

static const tape_op softplus_products_op = {.name = "softplus_products", .backward = softplus_products_backward};

/* total += the sum of a tile, twice where it also stands for the one below the diagonal; sums: rows + 1 numbers */
static void add_tile(cru_tape *t, const tile *b, const float *s, float *sums, float *total)
{
    const cru_backend *be = t->device->backend;
    cru_reduce_args by_row = {.outer = b->rows, .count = b->cols, .inner = 1, .x = s, .y = sums};
    be->reduce(t->device, CRU_REDUCE_SUM, &by_row);
    cru_reduce_args all = {.outer = 1, .count = b->rows, .inner = 1, .x = sums, .y = sums + b->rows};
    be->reduce(t->device, CRU_REDUCE_SUM, &all);
    cru_copy_args add = {.rows = 1, .cols = 1, .x = all.y, .ldx = 1, .y = total, .ldy = 1, .accumulate = true};
    add.scale = on_diagonal(b) ? 1 : 2;
    be->copy(t->device, &add);
}

cru_tensor *cru_softplus_products(cru_tape *t, cru_tensor *x, const cru_tensor *v)
{
    const int64_t n = cru_tensor_rows(x);
    const cru_tensor shape = tape_shape0();
    cru_tensor *in[2] = {x, v ? cru_detach(t, (cru_tensor *)v) : x}; /* the same twice: no weights */
    tape_result r = tape_emit(t, &softplus_products_op, &shape, in, 2, 0);
    float *s = tape_floats(t, tile_floats(n)), *w = tape_floats(t, tile_floats(n)), *sums = tape_floats(t, TILE + 1);
    t->device->backend->fill(t->device, r.out->data, 1, 0);
    for (tile b = {0}; next_tile(n, &b);) {
        mapped_products(t, x, &b, CRU_UNARY_SOFTPLUS, 1, s);
        if (v) weigh(t, v, &b, w, s);
        add_tile(t, &b, s, sums, r.out->data);
    }
    pool_return(&t->memory, s, tile_floats(n));
    pool_return(&t->memory, w, tile_floats(n));
    return r.out;
}
