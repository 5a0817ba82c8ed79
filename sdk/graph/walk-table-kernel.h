// SPDX-License-Identifier: Apache-2.0
/* Included by walk-table-*.c, which define WALK_LEARN and LANES. A walk's rows are copied to where they stay in the first
 * cache: windows overlap, so every row is used about 2 context times. Both products, that of all pairs and that of their
 * derivatives with the rows, keep a block of results in registers; otherwise they would load and store more than compute.
 * Blocks at the border reach into rows of zeros. */
#include <math.h>
#include <string.h>

#include "backends/cpu/simd/vector.h"
#include "graph/walk-table.h"

enum { ACROSS = WALK_MARGIN - 1, DOWN = WALK_MARGIN };

typedef float vec4 __attribute__((vector_size(16)));
typedef float vec4_unaligned __attribute__((vector_size(16), aligned(4), may_alias));

/* Four sums, each of every fourth lane. */
INLINE vec4 quarter(vec v)
{
#if LANES == 16
    const __m256 low = _mm512_castps512_ps256((__m512)v), high = _mm512_extractf32x8_ps((__m512)v, 1);
    const __m256 half = _mm256_add_ps(low, high);
    return (vec4)_mm_add_ps(_mm256_castps256_ps128(half), _mm256_extractf128_ps(half, 1));
#elif LANES == 8
    return (vec4)_mm_add_ps(_mm256_castps256_ps128((__m256)v), _mm256_extractf128_ps((__m256)v, 1));
#else
    return v;
#endif
}

/* The sums of all lanes of four vectors. */
INLINE vec4 sums_of_four(const vec v[4])
{
    const vec4 a = quarter(v[0]), b = quarter(v[1]), c = quarter(v[2]), d = quarter(v[3]);
    const vec4 ab = __builtin_shufflevector(a, b, 0, 4, 1, 5) + __builtin_shufflevector(a, b, 2, 6, 3, 7);
    const vec4 cd = __builtin_shufflevector(c, d, 0, 4, 1, 5) + __builtin_shufflevector(c, d, 2, 6, 3, 7);
    return __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* Where the parts of w->memory are. */
typedef struct walk_work {
    int64_t width, stride; /* of rows; of the two matrices of pairs */
    float *x, *dx;         /* rows: a walk's, and their gradient */
    float *product;        /* x_p x_q */
    float *slope;          /* the derivatives, symmetric, 0 where p and q are in no window together */
    float *pairs;          /* those of one triangle in a row */
} walk_work;
static walk_work work_on(const cru_walk_table *t, const walk_list *w)
{
    const int64_t rows = w->length + WALK_MARGIN, width = walk_width(t->dim);
    walk_work k = {.width = width, .stride = rows, .x = w->memory};
    k.dx = k.x + rows * width;
    k.product = k.dx + rows * width;
    k.slope = k.product + rows * rows;
    k.pairs = k.slope + rows * rows;
    return k;
}

/* product_pq = x_p x_q for ACROSS rows from p, DOWN rows from q */
INLINE void products(const walk_work *k, int64_t p, int64_t q)
{
    const float *restrict x = k->x + p * k->width, *restrict y = k->x + q * k->width;
    vec sum[ACROSS][DOWN] = {{{0}}};
    for (int64_t at = 0; at < k->width; at += LANES) {
        vec b[DOWN];
        for (int c = 0; c < DOWN; c++) b[c] = load(y + c * k->width + at);
        for (int r = 0; r < ACROSS; r++) {
            const vec a = load(x + r * k->width + at);
            for (int c = 0; c < DOWN; c++) sum[r][c] = vec_fused(a, b[c], sum[r][c]);
        }
    }
    for (int r = 0; r < ACROSS; r++) *(vec4_unaligned *)(k->product + (p + r) * k->stride + q) = sums_of_four(sum[r]);
}

/* dx_p = sum_q slope_pq x_q for DOWN rows from p, q of from .. to - 1 */
INLINE void combine(const walk_work *k, int64_t p, int64_t from, int64_t to)
{
    const float *restrict slope = k->slope + p * k->stride;
    float *restrict dx = k->dx + p * k->width;
    for (int64_t at = 0; at < k->width; at += 2 * LANES) {
        vec sum[DOWN][2] = {{{0}}};
        for (int64_t q = from; q < to; q++) {
            const float *x = k->x + q * k->width + at;
            const vec low = load(x), high = load(x + LANES);
            for (int r = 0; r < DOWN; r++) {
                const vec factor = splat(slope[r * k->stride + q]);
                sum[r][0] = vec_fused(factor, low, sum[r][0]);
                sum[r][1] = vec_fused(factor, high, sum[r][1]);
            }
        }
        for (int r = 0; r < DOWN; r++)
            store(dx + r * k->width + at, sum[r][0]), store(dx + r * k->width + at + LANES, sum[r][1]);
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

/* dx of a walk whose rows are in x. */
static void learn_walk(const walk_list *w, const walk_work *k)
{
    const int64_t each = w->context - 1, firsts = w->length - each, n = k->stride;
    for (int64_t p = 0; p < firsts; p += ACROSS)
        for (int64_t q = p + 1; q < w->length && q < p + ACROSS + each; q += DOWN) products(k, p, q);
    for (int64_t p = 0; p < firsts; p++)
        memcpy(k->pairs + p * each, k->product + p * n + p + 1, (size_t)each * sizeof(float));
    derive(w, k->pairs, firsts * each);
    for (int64_t p = 0; p < firsts; p++)
        for (int64_t q = p + 1; q <= p + each; q++)
            k->slope[p * n + q] = k->slope[q * n + p] = k->pairs[p * each + q - p - 1];
    for (int64_t p = 0; p < w->length; p += DOWN) {
        const int64_t last = p + DOWN - 1 + (p < firsts ? each : -1), most = p < firsts ? w->length : firsts;
        const int64_t from = p > each ? p - each : 0, to = last + 1 < most ? last + 1 : most;
        combine(k, p, from, to);
    }
}

void WALK_LEARN(cru_walk_table *t, const walk_list *w)
{
    const int64_t dim = t->dim;
    const size_t row = (size_t)dim * sizeof(float);
    const walk_work k = work_on(t, w);
    for (int64_t i = 0; i < w->count; i++) {
        const int32_t *ids = w->ids + i * w->length;
        for (int64_t p = 0; p < w->length; p++) memcpy(k.x + p * k.width, t->rows + ids[p] * dim, row);
        learn_walk(w, &k);
        for (int64_t p = 0; p < w->length; p++) {
            float *restrict to = t->gradient + ids[p] * dim;
            const float *restrict from = k.dx + p * k.width;
#pragma omp simd
            for (int64_t c = 0; c < dim; c++) to[c] += from[c];
        }
    }
}
