// SPDX-License-Identifier: Apache-2.0
#include "dense-rows.h"

float *rows_turned(cru_tape *t, const float *x, int64_t n, int64_t cols)
{
    float *y = cru_tape_alloc(t, n * cols, sizeof *y);
    for (int64_t v = 0; v < n; v++)
        for (int64_t j = 0; j < cols; j++) y[j * n + v] = x[v * cols + j];
    return y;
}

void rows_add_columns(int64_t n, int64_t cols, const float *weight, const float *x, float *restrict row)
{
    int64_t j = 0;
    for (; j + 4 <= cols; j += 4) {
        const float a = weight[j], b = weight[j + 1], c = weight[j + 2], d = weight[j + 3];
        const float *x0 = x + j * n, *x1 = x0 + n, *x2 = x1 + n, *x3 = x2 + n;
        for (int64_t v = 0; v < n; v++) row[v] = (((row[v] + a * x0[v]) + b * x1[v]) + c * x2[v]) + d * x3[v];
    }
    for (; j < cols; j++)
        for (int64_t v = 0; v < n; v++) row[v] += weight[j] * x[j * n + v];
}

void rows_add(int64_t n, int64_t cols, const float *weight, const float *x, float *restrict y)
{
    int64_t v = 0;
    for (; v + 4 <= n; v += 4) {
        const float a = weight[v], b = weight[v + 1], c = weight[v + 2], d = weight[v + 3];
        const float *x0 = x + v * cols, *x1 = x0 + cols, *x2 = x1 + cols, *x3 = x2 + cols;
        for (int64_t j = 0; j < cols; j++) y[j] = (((y[j] + a * x0[j]) + b * x1[j]) + c * x2[j]) + d * x3[j];
    }
    for (; v < n; v++)
        for (int64_t j = 0; j < cols; j++) y[j] += weight[v] * x[v * cols + j];
}

void rows_add_scaled(int64_t n, float a, const float *restrict x, float *restrict y)
{
    for (int64_t j = 0; j < n; j++) y[j] += a * x[j];
}
