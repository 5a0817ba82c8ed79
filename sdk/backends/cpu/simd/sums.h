// SPDX-License-Identifier: Apache-2.0
/* Sums in double of contiguous floats, whole or by column. */
#ifndef CRUCIBLE_CPU_SIMD_SUMS_H
#define CRUCIBLE_CPU_SIMD_SUMS_H

#include "elementary.h"

/* A sum in lanes has an order that the source says: what `omp simd reduction` makes of it is each compiler's own. */
enum { SUM_LANES = 8 };
typedef double wide __attribute__((vector_size(8 * SUM_LANES)));
typedef float wide_floats __attribute__((vector_size(4 * SUM_LANES), aligned(4), may_alias));

/* By address: a vector wider than the registers is nothing to hand over. */
INLINE void add_widened(wide *sum, const float *x)
{
    *sum += __builtin_convertvector(*(const wide_floats *)x, wide);
}

INLINE double wide_sum(const wide *sum)
{
    const wide v = *sum;
    return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7]));
}

INLINE double row_total(const float *x, int64_t n)
{
    int64_t i = 0;
    double sum = 0;
    if (n >= 2 * SUM_LANES) { /* else not worth starting the vector loop */
        wide part = {0};
        for (; i + SUM_LANES <= n; i += SUM_LANES) add_widened(&part, x + i);
        sum = wide_sum(&part);
    }
    for (; i < n; i++) sum += (double)x[i];
    return sum;
}

/* sum[j] += x[i, j] over all rows. Four rows at a time are added as floats first, which costs a bit or two at most and
 * spares most of the conversions. */
INLINE void add_rows(const float *x, int64_t rows, int64_t cols, double *sum)
{
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        const float *a = x + i * cols, *b = a + cols, *c = b + cols, *d = c + cols;
#pragma omp simd
        for (int64_t j = 0; j < cols; j++) sum[j] += (double)((a[j] + b[j]) + (c[j] + d[j]));
    }
    for (; i < rows; i++) {
#pragma omp simd
        for (int64_t j = 0; j < cols; j++) sum[j] += (double)x[i * cols + j];
    }
}

#endif
