// SPDX-License-Identifier: Apache-2.0
/* oblivious.h: boosting of symmetric trees with several outputs.
 *
 * All nodes of one level split by the same column and border, the pair that maximises
 *
 *     sum over leaves and outputs of (sum g)^2 / (sum h + l2)
 *
 * and a leaf adds lr sum g / (count + l2) to each output. Squared error: g = target - F, h = 1, F starts at the mean of
 * the targets. Softmax: g = [y = c] - p_c, h = p_c (1 - p_c), F starts at 0. Columns are cut at up to 254 borders, by
 * quantiles of the training rows. Of equal splits the first column and border win. No sampling. */
#ifndef GAD_OBLIVIOUS_H
#define GAD_OBLIVIOUS_H

#include <crucible/crucible.h>

enum { OBLIVIOUS_BORDERS = 254, OBLIVIOUS_DEPTH = 16 };

typedef struct oblivious_shape {
    int64_t trees, depth, outputs;
    double lr, l2;
} oblivious_shape;

/* Columns cut at borders. */
typedef struct oblivious_rows {
    int64_t rows, cols;
    cru_ids train;
    uint8_t *bin;     /* cols x rows: how many borders of the column lie below the value */
    int32_t *borders; /* of each column */
} oblivious_rows;

oblivious_rows oblivious_cut(cru_ctx *ctx, const cru_dense *x, cru_ids train);

/* Learns targets (training rows x outputs) and writes F of all rows: rows x outputs; with softmax, probabilities.
 * Scratch memory is the context's, made once per call of oblivious_create. */
typedef struct oblivious oblivious;
oblivious *oblivious_create(cru_ctx *ctx, const oblivious_rows *rows, const oblivious_shape *shape);
void oblivious_fit(oblivious *o, bool softmax, const double *targets, double *out);

#endif
