// SPDX-License-Identifier: Apache-2.0
/* The sum of squared sigmoids of all inner products. */
#include <crucible/ops-loss.h>

#include "ops/product-blocks.h"

/* d s^2 = 2 s^2 (1 - s), and both ends of a product are rows of x: dx_i = 4 sum_j s_ij^2 (1 - s_ij) x_j dy. */
static void sigmoid_products_backward(cru_tape *t, tape_node *node)
{
    const cru_tensor *x = node->in[0];
    const cru_backend *be = t->device->backend;
    const int64_t n = cru_tensor_rows(x), most = product_block_rows(n);
    float *dx = tape_floats(t, cru_tensor_count(x)), *s = tape_floats(t, most * n), *square = tape_floats(t, most * n);
    for (int64_t from = 0; from < n; from += most) {
        const product_block b = product_block_at(n, from);
        const int64_t size = b.rows * n;
        product_block_values(t, x, b, CRU_UNARY_SIGMOID, 1, s);
        product_block_multiply(t, size, s, s, square);
        be->unary(t->device, CRU_UNARY_SCALE, &(cru_unary_args){.n = size, .x = s, .y = s, .a = -4, .b = 4});
        product_block_multiply(t, size, s, square, s);
        product_block_slopes(t, x, b, 1, s, dx);
    }
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, square, most * n);
    product_blocks_give(t, node, dx);
}

static const tape_op sigmoid_products_op = {.name = "square_sigmoid_products", .backward = sigmoid_products_backward};

cru_tensor *cru_square_sigmoid_products(cru_tape *t, cru_tensor *x)
{
    const int64_t n = cru_tensor_rows(x), most = product_block_rows(n);
    const cru_tensor shape = tape_shape0();
    tape_result r = tape_emit(t, &sigmoid_products_op, &shape, &x, 1, 0);
    float *s = tape_floats(t, most * n), *sums = tape_floats(t, n);
    for (int64_t from = 0; from < n; from += most) {
        const product_block b = product_block_at(n, from);
        product_block_values(t, x, b, CRU_UNARY_SIGMOID, 1, s);
        product_block_multiply(t, b.rows * n, s, s, s);
        product_block_sum(t, n, b, s, sums);
    }
    product_blocks_total(t, n, sums, r.out->data);
    pool_return(&t->memory, s, most * n);
    return r.out;
}
