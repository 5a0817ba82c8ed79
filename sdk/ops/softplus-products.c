// SPDX-License-Identifier: Apache-2.0
/* The weighted sum of the softplus of all inner products. */
#include <crucible/draft/softplus-products.h>

#include "ops/product-blocks.h"

/* s <- s w */
static void weigh(cru_tape *t, const cru_tensor *v, product_block b, float *w, float *s)
{
    product_block_values(t, v, b, CRU_UNARY_SIGMOID, -1, w);
    product_block_multiply(t, b.rows * cru_tensor_rows(v), s, w, s);
}

/* w and the products are symmetric: dx_i = 2 sum_j w_ij sigmoid(<x_i, x_j>) x_j dy. */
static void softplus_products_backward(cru_tape *t, tape_node *node)
{
    const cru_tensor *x = node->in[0], *v = node->in[1];
    const int64_t n = cru_tensor_rows(x), most = product_block_rows(n);
    float *dx = tape_floats(t, cru_tensor_count(x)), *s = tape_floats(t, most * n), *w = tape_floats(t, most * n);
    for (int64_t from = 0; from < n; from += most) {
        const product_block b = product_block_at(n, from);
        product_block_values(t, x, b, CRU_UNARY_SIGMOID, 1, s);
        if (v != x) weigh(t, v, b, w, s);
        product_block_slopes(t, x, b, 2, s, dx);
    }
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, w, most * n);
    product_blocks_give(t, node, dx);
}

static const tape_op softplus_products_op = {.name = "softplus_products", .backward = softplus_products_backward};

cru_tensor *cru_softplus_products(cru_tape *t, cru_tensor *x, const cru_tensor *v)
{
    const int64_t n = cru_tensor_rows(x), most = product_block_rows(n);
    const cru_tensor shape = tape_shape0();
    cru_tensor *in[2] = {x, v ? cru_detach(t, (cru_tensor *)v) : x}; /* the same twice: no weights */
    tape_result r = tape_emit(t, &softplus_products_op, &shape, in, 2, 0);
    float *s = tape_floats(t, most * n), *w = tape_floats(t, most * n), *sums = tape_floats(t, n);
    for (int64_t from = 0; from < n; from += most) {
        const product_block b = product_block_at(n, from);
        product_block_values(t, x, b, CRU_UNARY_SOFTPLUS, 1, s);
        if (v) weigh(t, v, b, w, s);
        product_block_sum(t, n, b, s, sums);
    }
    product_blocks_total(t, n, sums, r.out->data);
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, w, most * n);
    return r.out;
}
