// SPDX-License-Identifier: Apache-2.0
/* The sum of squared sigmoids of all inner products, in blocks of rows: the n x n matrix never exists. */
#include <crucible/draft/ops-loss.h>
#include <crucible/ops-loss.h>

#include "autograd/tape.h"

/* Floats of a block of products: stays in the second-level cache. */
enum { BLOCK = 1 << 18 };

static int64_t block_rows(int64_t n)
{
    const int64_t rows = BLOCK / (n > 0 ? n : 1);
    return rows < 1 ? 1 : rows < n ? rows : n;
}

/* s = sigmoid(x[from ..] x^T), `rows` of them */
static void sigmoid_block(cru_tape *t, const cru_tensor *x, int64_t from, int64_t rows, float *s)
{
    const int64_t n = cru_tensor_rows(x), cols = cru_tensor_cols(x);
    cru_gemm_args products = {.tb = true, .alpha = 1, .m = rows, .n = n, .k = cols, .lda = cols, .ldb = cols, .ldc = n};
    products.a = x->data + from * cols;
    products.b = x->data;
    products.c = s;
    t->device->backend->gemm(t->device, &products);
    t->device->backend->unary(t->device, CRU_UNARY_SIGMOID, &(cru_unary_args){.n = rows * n, .x = s, .y = s});
}

static void multiply(cru_device *device, int64_t n, const float *a, const float *b, float *y)
{
    const cru_binary_args args = {.rows = 1, .cols = n, .a = {a, n, 1}, .b = {b, n, 1}, .y = y};
    device->backend->binary(device, CRU_BINARY_MUL, &args);
}

/* d s^2 = 2 s^2 (1 - s), and both ends of a product are rows of x: dx_i = 4 sum_j s_ij^2 (1 - s_ij) x_j dy. */
static void sigmoid_products_backward(cru_tape *t, tape_node *node)
{
    const cru_tensor *x = node->in[0];
    const cru_backend *be = t->device->backend;
    const int64_t n = cru_tensor_rows(x), cols = cru_tensor_cols(x), most = block_rows(n);
    float *dx = tape_floats(t, n * cols), *s = tape_floats(t, most * n), *square = tape_floats(t, most * n);
    for (int64_t from = 0; from < n; from += most) {
        const int64_t rows = n - from < most ? n - from : most, size = rows * n;
        sigmoid_block(t, x, from, rows, s);
        multiply(t->device, size, s, s, square);
        be->unary(t->device, CRU_UNARY_SCALE, &(cru_unary_args){.n = size, .x = s, .y = s, .a = -4, .b = 4});
        multiply(t->device, size, s, square, s);
        cru_gemm_args step = {.alpha = 1, .m = rows, .n = cols, .k = n, .lda = n, .ldb = cols, .ldc = cols};
        step.a = s;
        step.b = x->data;
        step.c = dx + from * cols;
        be->gemm(t->device, &step);
    }
    cru_binary_args scale = {.rows = 1, .cols = n * cols, .a = {dx, n * cols, 1}, .y = dx};
    scale.b.x = node->out->grad;
    be->binary(t->device, CRU_BINARY_MUL, &scale);
    pool_return(&t->memory, s, most * n);
    pool_return(&t->memory, square, most * n);
    tape_grad_give(t, node->in[0], dx);
}

static const tape_op sigmoid_products_op = {.name = "square_sigmoid_products", .backward = sigmoid_products_backward};

cru_tensor *cru_square_sigmoid_products(cru_tape *t, cru_tensor *x)
{
    const cru_backend *be = t->device->backend;
    const int64_t n = cru_tensor_rows(x), most = block_rows(n);
    const cru_tensor shape = tape_shape0();
    tape_result r = tape_emit(t, &sigmoid_products_op, &shape, &x, 1, 0);
    float *s = tape_floats(t, most * n), *sums = tape_floats(t, n);
    for (int64_t from = 0; from < n; from += most) {
        const int64_t rows = n - from < most ? n - from : most;
        sigmoid_block(t, x, from, rows, s);
        multiply(t->device, rows * n, s, s, s);
        be->reduce(t->device, CRU_REDUCE_SUM,
                   &(cru_reduce_args){.outer = rows, .count = n, .inner = 1, .x = s, .y = sums + from});
    }
    be->reduce(t->device, CRU_REDUCE_SUM,
               &(cru_reduce_args){.outer = 1, .count = n, .inner = 1, .x = sums, .y = r.out->data});
    pool_return(&t->memory, s, most * n);
    return r.out;
}
