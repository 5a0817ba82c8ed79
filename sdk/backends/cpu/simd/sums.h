// SPDX-License-Identifier: Apache-2.0
/* Sums in double of contiguous floats, whole or by column. */
#ifndef CRUCIBLE_CPU_SIMD_SUMS_H
#define CRUCIBLE_CPU_SIMD_SUMS_H

#include "elementary.h"

INLINE double row_total(const float *x, int64_t n)
{
    double sum = 0;
    if (n < 16) { /* not worth starting the vector loop */
        for (int64_t i = 0; i < n; i++) sum += (double)x[i];
        return sum;
    }
#pragma omp simd reduction(+ : sum)
    for (int64_t i = 0; i < n; i++) sum += (double)x[i];
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
