// SPDX-License-Identifier: Apache-2.0
/* The weighted sum of the softplus of all inner products, in blocks of rows: the n x n matrix never exists. */
#include <crucible/draft/softplus-products.h>

#include "autograd/tape.h"

/* Floats of a block of products: stays in the second-level cache. */
enum { BLOCK = 1 << 18 };

static int64_t block_rows(int64_t n)
{
    const int64_t rows = BLOCK / (n > 0 ? n : 1);
    return rows < 1 ? 1 : rows < n ? rows : n;
}

typedef struct block {
    int64_t from, rows;
} block;

/* s = f(sign x[from ..] x^T) */
static void product_block(cru_tape *t, const cru_tensor *x, block b, cru_unary f, float sign, float *s)
{
    const int64_t n = cru_tensor_rows(x), cols = cru_tensor_cols(x);
    cru_gemm_args products = {.tb = true, .m = b.rows, .n = n, .k = cols, .lda = cols, .ldb = cols, .ldc = n};
    products.alpha = sign;
    products.a = x->data + b.from * cols;
    products.b = x->data;
    products.c = s;
    t->device->backend->gemm(t->device, &products);
    t->device->backend->unary(t->device, f, &(cru_unary_args){.n = b.rows * n, .x = s, .y = s});
}

/* s <- s w */
static void weigh(cru_tape *t, const cru_tensor *v, block b, float *w, float *s)
{
    const int64_t size = b.rows * cru_tensor_rows(v);
    product_block(t, v, b, CRU_UNARY_SIGMOID, -1, w);
    const cru_binary_args args = {.rows = 1, .cols = size, .a = {s, size, 1}, .b = {w, size, 1}, .y = s};
    t->device->backend->binary(t->device, CRU_BINARY_MUL, &args);
}

/* w and the products are symmetric: dx_i = 2 sum_j w_ij sigmoid(<x_i, x_j>) x_j dy. */
static void softplus_products_backward(cru_tape *t, tape_node *node)
{
    const cru_tensor *x = node->in[0], *v = node->in[1];
    const cru_backend *be = t->device->backend;
    const int64_t n = cru_tensor_rows(x), cols = cru_tensor_cols(x), most = block_rows(n);
    float *dx = tape_floats(t, n * cols), *s = tape_floats(t, most * n), *w = tape_floats(t, most * n);
    for (int64_t from = 0; from < n; from += most) {
        const block b = {from, n - from < most ? n - from : most};
        product_block(t, x, b, CRU_UNARY_SIGMOID, 1, s);
        if (v != x) weigh(t, v, b, w, s);
        cru_gemm_args step = {.alpha = 2, .m = b.rows, .n = cols, .k = n, .lda = n, .ldb = cols, .ldc = cols};
        step.a = s;
        step.b = x->data;
        step.c = dx + from * cols;
        be->gemm(t->device, &step);
    }
    cru_binary_args scale = {.rows = 1, .cols = n * cols, .a = {dx, n * cols, 1}, .y = dx};
    scale.b.x = node->out->grad;
    be->binary(t->device, CRU_BINARY_MUL, &scale);
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, w, most * n);
    tape_grad_give(t, node->in[0], dx);
}

static const tape_op softplus_products_op = {.name = "softplus_products", .backward = softplus_products_backward};

cru_tensor *cru_softplus_products(cru_tape *t, cru_tensor *x, const cru_tensor *v)
{
    const cru_backend *be = t->device->backend;
    const int64_t n = cru_tensor_rows(x), most = block_rows(n);
    const cru_tensor shape = tape_shape0();
    cru_tensor *in[2] = {x, v ? cru_detach(t, (cru_tensor *)v) : x}; /* the same twice: no weights */
    tape_result r = tape_emit(t, &softplus_products_op, &shape, in, 2, 0);
    float *s = tape_floats(t, most * n), *w = tape_floats(t, most * n), *sums = tape_floats(t, n);
    for (int64_t from = 0; from < n; from += most) {
        const block b = {from, n - from < most ? n - from : most};
        product_block(t, x, b, CRU_UNARY_SOFTPLUS, 1, s);
        if (v) weigh(t, v, b, w, s);
        be->reduce(t->device, CRU_REDUCE_SUM,
                   &(cru_reduce_args){.outer = b.rows, .count = n, .inner = 1, .x = s, .y = sums + from});
    }
    be->reduce(t->device, CRU_REDUCE_SUM,
               &(cru_reduce_args){.outer = 1, .count = n, .inner = 1, .x = sums, .y = r.out->data});
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, w, most * n);
    return r.out;
}
