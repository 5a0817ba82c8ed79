// SPDX-License-Identifier: Apache-2.0
/* Half of the inner products of a matrix's rows with each other. */
#include "ops/tiles.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

bool next_tile(int64_t n, tile *b)
{
    b->other += b->cols;
    if (b->other == n) {
        b->first += b->rows;
        b->other = b->first;
    }
    b->rows = least(n - b->first, TILE);
    b->cols = least(n - b->other, TILE);
    return b->cols > 0;
}

bool on_diagonal(const tile *b)
{
    return b->first == b->other;
}

int64_t tile_floats(int64_t n)
{
    return least(n, TILE) * least(n, TILE);
}

void tile_products(cru_tape *t, const cru_tensor *x, const tile *b, float scale, float *s)
{
    const int64_t c = cru_tensor_cols(x);
    cru_gemm_args products = {.tb = true, .m = b->rows, .n = b->cols, .k = c, .alpha = scale, .c = s};
    products.a = x->data + b->first * c;
    products.b = x->data + b->other * c;
    products.lda = products.ldb = c;
    products.ldc = b->cols;
    t->device->backend->gemm(t->device, &products);
}

void tile_gradient(cru_tape *t, const cru_tensor *x, const tile *b, float scale, const float *s, float *dx)
{
    const int64_t c = cru_tensor_cols(x);
    cru_gemm_args part = {.m = b->rows, .n = c, .k = b->cols, .alpha = scale, .beta = 1, .a = s, .lda = b->cols};
    part.ldb = part.ldc = c;
    part.b = x->data + b->other * c;
    part.c = dx + b->first * c;
    t->device->backend->gemm(t->device, &part);
    if (on_diagonal(b)) return;
    part.ta = true;
    part.m = b->cols;
    part.k = b->rows;
    part.b = x->data + b->first * c;
    part.c = dx + b->other * c;
    t->device->backend->gemm(t->device, &part);
}
