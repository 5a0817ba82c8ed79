// SPDX-License-Identifier: Apache-2.0
/* product-blocks.h: functions of all inner products of rows, x x^T, a block of rows at a time: the n x n matrix never
 * exists. */
#ifndef SDK_OPS_PRODUCT_BLOCKS_H
#define SDK_OPS_PRODUCT_BLOCKS_H

#include "autograd/tape.h"

typedef struct product_block {
    int64_t from, rows;
} product_block;

/* Rows of a block at most, of n: its products stay in the second-level cache. */
int64_t product_block_rows(int64_t n);

/* The block that begins at `from`. */
product_block product_block_at(int64_t n, int64_t from);

/* s = f(sign x[from ..] x^T), rows x n */
void product_block_values(cru_tape *t, const cru_tensor *x, product_block b, cru_unary f, float sign, float *s);

/* y = a b of `count` numbers; y may be one of them */
void product_block_multiply(cru_tape *t, int64_t count, const float *a, const float *b, float *y);

/* sums[from ..] = the sum of each row of s */
void product_block_sum(cru_tape *t, int64_t n, product_block b, const float *s, float *sums);

/* dx[from ..] = alpha s x, where s holds the slopes of the block */
void product_block_slopes(cru_tape *t, const cru_tensor *x, product_block b, float alpha, const float *s, float *dx);

/* The last step of a backward pass: dx by the gradient of the sum, given to the operator's first input. */
void product_blocks_give(cru_tape *t, tape_node *node, float *dx);

/* The last step of a forward pass: *total = the sum of n row sums. */
void product_blocks_total(cru_tape *t, int64_t n, const float *sums, float *total);

#endif
