// SPDX-License-Identifier: Apache-2.0
#include "ops/product-blocks.h"

enum { BLOCK = 1 << 18 }; /* floats */

int64_t product_block_rows(int64_t n)
{
    const int64_t rows = BLOCK / (n > 0 ? n : 1);
    return rows < 1 ? 1 : rows < n ? rows : n;
}

product_block product_block_at(int64_t n, int64_t from)
{
    const int64_t most = product_block_rows(n);
    return (product_block){from, n - from < most ? n - from : most};
}

void product_block_values(cru_tape *t, const cru_tensor *x, product_block b, cru_unary f, float sign, float *s)
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

void product_block_multiply(cru_tape *t, int64_t count, const float *a, const float *b, float *y)
{
    const cru_binary_args args = {.rows = 1, .cols = count, .a = {a, count, 1}, .b = {b, count, 1}, .y = y};
    t->device->backend->binary(t->device, CRU_BINARY_MUL, &args);
}

void product_block_sum(cru_tape *t, int64_t n, product_block b, const float *s, float *sums)
{
    const cru_reduce_args args = {.outer = b.rows, .count = n, .inner = 1, .x = s, .y = sums + b.from};
    t->device->backend->reduce(t->device, CRU_REDUCE_SUM, &args);
}

void product_block_slopes(cru_tape *t, const cru_tensor *x, product_block b, float alpha, const float *s, float *dx)
{
    const int64_t n = cru_tensor_rows(x), cols = cru_tensor_cols(x);
    cru_gemm_args step = {.alpha = alpha, .m = b.rows, .n = cols, .k = n, .lda = n, .ldb = cols, .ldc = cols};
    step.a = s;
    step.b = x->data;
    step.c = dx + b.from * cols;
    t->device->backend->gemm(t->device, &step);
}

void product_blocks_give(cru_tape *t, tape_node *node, float *dx)
{
    const int64_t count = cru_tensor_count(node->in[0]);
    cru_binary_args scale = {.rows = 1, .cols = count, .a = {dx, count, 1}, .y = dx};
    scale.b.x = node->out->grad;
    t->device->backend->binary(t->device, CRU_BINARY_MUL, &scale);
    tape_grad_give(t, node->in[0], dx);
}

void product_blocks_total(cru_tape *t, int64_t n, const float *sums, float *total)
{
    const cru_reduce_args args = {.outer = 1, .count = n, .inner = 1, .x = sums, .y = total};
    t->device->backend->reduce(t->device, CRU_REDUCE_SUM, &args);
}
