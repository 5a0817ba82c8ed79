// SPDX-License-Identifier: Apache-2.0
/* Included by walk-table-*.c, which define WALK_LEARN. A walk's rows are copied to where they stay in the first cache:
 * windows overlap, so every row is used about 2 context times. */
#include <math.h>
#include <string.h>

#include "backends/cpu/simd/elementary.h"
#include "graph/walk-table.h"

static float product(const float *restrict a, const float *restrict b, int64_t n)
{
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* y += w x, for both ends of a pair at once */
static void exchange(float w, const float *restrict a, const float *restrict b, float *restrict da, float *restrict db,
                     int64_t n)
{
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
        da[k] += w * b[k];
        db[k] += w * a[k];
    }
}

/* d -> the derivative of - log(s + 1e-15), s = sigmoid(sign d), times the weight. The loss is summed when asked for. */
static void derive(const walk_list *w, float *restrict d, int64_t n)
{
    if (w->loss)
        for (int64_t k = 0; k < n; k++)
            *w->loss -= (double)w->weight * log(1 / (1 + exp(-(double)(w->sign * d[k]))) + 1e-15);
#pragma omp simd
    for (int64_t k = 0; k < n; k++) {
        const float s = fast_sigmoid(w->sign * d[k]);
        d[k] = -w->sign * w->weight * s * (1 - s) / (s + 1e-15f);
    }
}

void WALK_LEARN(cru_walk_table *table, const walk_list *w)
{
    const int64_t dim = table->dim, each = w->context - 1, firsts = w->length - each;
    const size_t row = (size_t)dim * sizeof(float);
    float *x = w->memory, *dx = x + w->length * dim, *d = dx + w->length * dim;
    for (int64_t i = 0; i < w->count; i++) {
        const int32_t *ids = w->ids + i * w->length;
        for (int64_t p = 0; p < w->length; p++) memcpy(x + p * dim, table->rows + ids[p] * dim, row);
        memset(dx, 0, (size_t)w->length * row);
        for (int64_t p = 0; p < firsts; p++)
            for (int64_t q = 0; q < each; q++) d[p * each + q] = product(x + p * dim, x + (p + q + 1) * dim, dim);
        derive(w, d, firsts * each);
        for (int64_t p = 0; p < firsts; p++)
            for (int64_t q = 0, o = p + 1; q < each; q++, o++)
                exchange(d[p * each + q], x + p * dim, x + o * dim, dx + p * dim, dx + o * dim, dim);
        for (int64_t p = 0; p < w->length; p++) {
            float *restrict to = table->gradient + ids[p] * dim;
#pragma omp simd
            for (int64_t k = 0; k < dim; k++) to[k] += dx[p * dim + k];
        }
    }
}
