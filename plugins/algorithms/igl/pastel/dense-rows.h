// SPDX-License-Identifier: Apache-2.0
/* dense-rows.h: sums of rows and columns, written so that loops run along memory. Four at a time, in the order of one
 * at a time. */
#ifndef IGL_DENSE_ROWS_H
#define IGL_DENSE_ROWS_H

#include <crucible/crucible.h>

/* The transpose of n x cols, for the step. */
float *rows_turned(cru_tape *t, const float *x, int64_t n, int64_t cols);

/* row += sum_j weight_j x_j, of columns that are n long */
void rows_add_columns(int64_t n, int64_t cols, const float *weight, const float *x, float *restrict row);

/* y += sum_v weight_v x_v, of rows that are cols long */
void rows_add(int64_t n, int64_t cols, const float *weight, const float *x, float *restrict y);

/* y_j += a x_j */
void rows_add_scaled(int64_t n, float a, const float *restrict x, float *restrict y);

#endif
