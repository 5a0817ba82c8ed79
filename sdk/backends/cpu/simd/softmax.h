/* Softmax and log-softmax over the middle axis of outer x count x inner, their gradients, and softmax cross-entropy. */
#ifndef CRUCIBLE_CPU_SIMD_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_SOFTMAX_H

#include "../cpu.h"
#include "elementary.h"
#include "vector.h"

/* Sums of a row are taken in pieces, so that a long row does not lose precision. */
enum { SUM_PIECE = 512 };

/* Lanes beyond the first `count` replaced by `rest`. */
INLINE vec first_or(vec v, int64_t count, float rest)
{
#if LANES == 16
    return (vec)_mm512_mask_blend_ps(first_mask(count), (__m512)((vec){0} + rest), (__m512)v);
#else
    static const float ones[LANES] = {[0 ... LANES - 1] = 1.0f};
    return choose(load_first(ones, first_mask(count)) > 0.0f, v, (vec){0} + rest);
#endif
}

/* NaN loses every comparison and does not count. */
INLINE float row_max(const float *x, int64_t n)
{
    vec best = (vec){0} - INFINITY;
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) best = vec_max(load(x + i), best);
    if (i < n) {
        best = vec_max(first_or(load_first(x + i, first_mask(n - i)), n - i, -INFINITY), best);
    }
    return lane_max(best);
}

/* y = e^(x - top) for one piece of a row; returns the sum of y. */
INLINE float piece_exp(const float *x, float *y, int64_t n, float top)
{
    vec sum = {0};
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) {
        const vec e = exp_negative(load(x + i) - top);
        store(y + i, e);
        sum += e;
    }
    if (i < n) {
        const first_lanes mask = first_mask(n - i);
        const vec e = exp_negative(load_first(x + i, mask) - top);
        store_first(y + i, e, mask);
        sum += first_or(e, n - i, 0);
    }
    return lane_sum(sum);
}

INLINE float row_exp(const float *x, float *y, int64_t n, float top)
{
    if (n <= SUM_PIECE) return piece_exp(x, y, n, top);
    double sum = 0;
    for (int64_t i = 0; i < n; i += SUM_PIECE)
        sum += (double)piece_exp(x + i, y + i, n - i < SUM_PIECE ? n - i : SUM_PIECE, top);
    return (float)sum;
}

/* y *= scale */
INLINE void scale_row(float *y, int64_t n, float scale)
{
    int64_t i = 0;
    for (; i + LANES <= n; i += LANES) store(y + i, load(y + i) * scale);
    if (i == n) return;
    const first_lanes mask = first_mask(n - i);
    store_first(y + i, load_first(y + i, mask) * scale, mask);
}

static void softmax_row(const cru_softmax_args *s, int64_t row)
{
    const int64_t n = s->count;
    const float *x = s->x + row * n, top = row_max(x, n);
    float *y = s->y + row * n;
    const float sum = row_exp(x, y, n, top), scale = 1.0f / sum;
    if (s->log) {
        const float shift = top + fast_log(sum);
#pragma omp simd
        for (int64_t i = 0; i < n; i++) y[i] = x[i] - shift;
    } else {
        scale_row(y, n, scale);
    }
}

static void softmax_column(const float *x, float *y, const cru_softmax_args *s)
{
    float max = -INFINITY, sum = 0;
    for (int64_t i = 0; i < s->count; i++) max = x[i * s->inner] > max ? x[i * s->inner] : max;
    for (int64_t i = 0; i < s->count; i++) sum += fast_exp(x[i * s->inner] - max);
    const float shift = max + fast_log(sum), scale = 1.0f / sum;
    for (int64_t i = 0; i < s->count; i++) {
        const float value = x[i * s->inner];
        y[i * s->inner] = s->log ? value - shift : fast_exp(value - max) * scale;
    }
}

static void softmax_range(const void *task, int64_t begin, int64_t end)
{
    const cru_softmax_args *s = task;
    if (s->inner == 1) {
        for (int64_t o = begin; o < end; o++) softmax_row(s, o);
        return;
    }
    for (int64_t o = begin; o < end; o++)
        for (int64_t k = 0; k < s->inner; k++) {
            const int64_t at = o * s->count * s->inner + k;
            softmax_column(s->x + at, s->y + at, s);
        }
}

static void softmax(cru_device *device, const cru_softmax_args *args)
{
    cpu_loop loop = {args->outer, cpu_grain(CPU_GRAIN_MATH, args->count * args->inner), softmax_range, args};
    cpu_for(device, &loop);
}

/* softmax: dx = y (dy - sum(dy y)); log-softmax: dx = dy - e^y sum(dy). */
static void softmax_grad_column(const cru_softmax_grad_args *s, int64_t at)
{
    const float *y = s->y + at, *dy = s->dy + at;
    const int64_t step = s->inner;
    float *dx = s->dx + at, sum = 0;
    for (int64_t i = 0; i < s->count; i++) sum += s->log ? dy[i * step] : dy[i * step] * y[i * step];
    for (int64_t i = 0; i < s->count; i++) {
        const float value = s->log ? dy[i * step] - fast_exp(y[i * step]) * sum : y[i * step] * (dy[i * step] - sum);
        cpu_store(dx + i * step, value, s->accumulate);
    }
}

/* The sum over the row that both formulas need. */
INLINE float grad_sum(const cru_softmax_grad_args *s, const float *y, const float *dy)
{
    double sum = 0;
    for (int64_t begin = 0; begin < s->count; begin += SUM_PIECE) {
        const int64_t end = s->count - begin < SUM_PIECE ? s->count : begin + SUM_PIECE;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += s->log ? dy[i] : dy[i] * y[i];
        sum += (double)part;
    }
    return (float)sum;
}

static void softmax_grad_row(const cru_softmax_grad_args *s, int64_t at)
{
    const float *y = s->y + at, *dy = s->dy + at, sum = grad_sum(s, y, dy);
    float *dx = s->dx + at;
    if (s->log) {
#pragma omp simd
        for (int64_t i = 0; i < s->count; i++) cpu_store(dx + i, dy[i] - fast_exp(y[i]) * sum, s->accumulate);
    } else {
#pragma omp simd
        for (int64_t i = 0; i < s->count; i++) cpu_store(dx + i, y[i] * (dy[i] - sum), s->accumulate);
    }
}

static void softmax_grad_range(const void *task, int64_t begin, int64_t end)
{
    const cru_softmax_grad_args *s = task;
    for (int64_t o = begin; o < end; o++) {
        if (s->inner == 1)
            softmax_grad_row(s, o * s->count);
        else
            for (int64_t k = 0; k < s->inner; k++) softmax_grad_column(s, o * s->count * s->inner + k);
    }
}

static void softmax_grad(cru_device *device, const cru_softmax_grad_args *args)
{
    cpu_loop loop = {args->outer, cpu_grain(CPU_GRAIN_MATH, args->count * args->inner), softmax_grad_range, args};
    cpu_for(device, &loop);
}

/* Rows are taken by groups, so that the logarithms of a group's sums are one vector. */
static void xent_range(const void *task, int64_t begin, int64_t end)
{
    const cru_xent_args *a = task;
    const int64_t n = a->classes;
    for (int64_t first = begin; first < end; first += LANES) {
        const int64_t group = end - first < LANES ? end - first : LANES;
        float sum[LANES] = {0}, aim[LANES] = {0};
        for (int64_t k = 0; k < group; k++) {
            const int64_t i = first + k;
            const float *x = a->logits + (a->rows ? a->rows[i] : i) * n, top = row_max(x, n);
            float *prob = a->prob + i * n;
            sum[k] = row_exp(x, prob, n, top);
            aim[k] = x[a->labels[i]] - top;
            scale_row(prob, n, 1.0f / sum[k]);
        }
        for (int64_t k = 0; k < LANES; k++) aim[k] = fast_log(sum[k]) - aim[k];
        for (int64_t k = 0; k < group; k++) a->loss[first + k] = (a->weights ? a->weights[first + k] : 1.0f) * aim[k];
    }
}

static void xent(cru_device *device, const cru_xent_args *args)
{
    cpu_for(device, &(cpu_loop){args->count, cpu_grain(CPU_GRAIN_MATH, args->classes), xent_range, args});
}

static void xent_grad_range(const void *task, int64_t begin, int64_t end)
{
    const cru_xent_grad_args *a = task;
    const int64_t n = a->classes;
    for (int64_t i = begin; i < end; i++) {
        const float scale = a->dloss[i] * (a->weights ? a->weights[i] : 1.0f), *prob = a->prob + i * n;
        float *dx = a->dlogits + (a->rows ? a->rows[i] : i) * n;
        for (int64_t j = 0; j < n; j += LANES) {
            const strip at = strip_at(j, n);
            store_strip(dx + j, load_strip(dx + j, at) + scale * load_strip(prob + j, at), at);
        }
        dx[a->labels[i]] -= scale;
    }
}

static void xent_grad(cru_device *device, const cru_xent_grad_args *args)
{
    cpu_for(device, &(cpu_loop){args->count, cpu_grain(CPU_GRAIN_CHEAP, args->classes), xent_grad_range, args});
}

#endif
