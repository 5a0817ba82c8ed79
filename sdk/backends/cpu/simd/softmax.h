// SPDX-License-Identifier: Apache-2.0
/* Softmax and log-softmax over the middle axis of outer x count x inner, their gradients, and softmax cross-entropy. */
#ifndef CRUCIBLE_CPU_SIMD_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_SOFTMAX_H

#include "../cpu.h"
#include "columns.h"
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

static void softmax_columns(const cru_softmax_args *s, columns c)
{
    const int64_t step = s->inner, width = c.to - c.from, start = c.from / step * s->count * step + c.from % step;
    const float *x = s->x + start;
    float *y = s->y + start, top[COLUMN_GROUP], shift[COLUMN_GROUP];
    double sum[COLUMN_GROUP] = {0};
    for (int64_t k = 0; k < width; k++) top[k] = -INFINITY;
    for (int64_t i = 0; i < s->count; i++)
#pragma omp simd
        for (int64_t k = 0; k < width; k++) top[k] = x[i * step + k] > top[k] ? x[i * step + k] : top[k];
    for (int64_t begin = 0; begin < s->count; begin += SUM_PIECE) {
        const int64_t end = s->count - begin < SUM_PIECE ? s->count : begin + SUM_PIECE;
        float part[COLUMN_GROUP] = {0};
        for (int64_t i = begin; i < end; i++)
#pragma omp simd
            for (int64_t k = 0; k < width; k++) part[k] += y[i * step + k] = fast_exp(x[i * step + k] - top[k]);
        for (int64_t k = 0; k < width; k++) sum[k] += (double)part[k];
    }
    for (int64_t k = 0; k < width; k++) shift[k] = s->log ? top[k] + fast_log((float)sum[k]) : 1.0f / (float)sum[k];
    for (int64_t i = 0; i < s->count; i++)
        if (s->log) {
#pragma omp simd
            for (int64_t k = 0; k < width; k++) y[i * step + k] = x[i * step + k] - shift[k];
        } else {
#pragma omp simd
            for (int64_t k = 0; k < width; k++) y[i * step + k] *= shift[k];
        }
}

static void softmax_rows(const void *task, int64_t begin, int64_t end)
{
    for (int64_t o = begin; o < end; o++) softmax_row(task, o);
}

static void softmax_groups(const void *task, int64_t begin, int64_t end)
{
    const cru_softmax_args *s = task;
    for (int64_t at = begin; at < end; at++) softmax_columns(s, columns_of_group(at, s->inner));
}

static void softmax(cru_device *device, const cru_softmax_args *args)
{
    if (args->inner == 1) {
        cpu_for(device, &(cpu_loop){args->outer, cpu_grain(CPU_GRAIN_MATH, args->count), softmax_rows, args});
        return;
    }
    const int64_t groups = args->outer * column_groups(args->inner);
    cpu_for(device, &(cpu_loop){groups, cpu_grain(CPU_GRAIN_MATH, args->count * COLUMN_GROUP), softmax_groups, args});
}

/* softmax: dx = y (dy - sum(dy y)); log-softmax: dx = dy - e^y sum(dy). */
static void softmax_grad_columns(const cru_softmax_grad_args *s, columns c)
{
    const int64_t step = s->inner, width = c.to - c.from, start = c.from / step * s->count * step + c.from % step;
    const float *y = s->y + start, *dy = s->dy + start;
    float *dx = s->dx + start, total[COLUMN_GROUP];
    double sum[COLUMN_GROUP] = {0};
    for (int64_t begin = 0; begin < s->count; begin += SUM_PIECE) {
        const int64_t end = s->count - begin < SUM_PIECE ? s->count : begin + SUM_PIECE;
        float part[COLUMN_GROUP] = {0};
        for (int64_t i = begin; i < end; i++)
#pragma omp simd
            for (int64_t k = 0; k < width; k++)
                part[k] += s->log ? dy[i * step + k] : dy[i * step + k] * y[i * step + k];
        for (int64_t k = 0; k < width; k++) sum[k] += (double)part[k];
    }
    for (int64_t k = 0; k < width; k++) total[k] = (float)sum[k];
    for (int64_t at = 0; at < s->count * step; at += step)
        if (s->log) {
#pragma omp simd
            for (int64_t k = 0; k < width; k++)
                cpu_store(dx + at + k, dy[at + k] - fast_exp(y[at + k]) * total[k], s->accumulate);
        } else {
#pragma omp simd
            for (int64_t k = 0; k < width; k++)
                store_product(dx + at + k, y[at + k], dy[at + k] - total[k], s->accumulate);
        }
}

INLINE float piece_sum(const float *x, int64_t n)
{
    int64_t i = 0;
    vec lanes = {0};
    for (; i + LANES <= n; i += LANES) lanes += load(x + i);
    float sum = n < LANES ? 0 : lane_sum(lanes);
    for (; i < n; i++) sum += x[i];
    return sum;
}

INLINE float piece_dot(const float *x, const float *y, int64_t n)
{
    int64_t i = 0;
    vec lanes = {0};
    for (; i + LANES <= n; i += LANES) lanes = vec_fused(load(x + i), load(y + i), lanes);
    float sum = n < LANES ? 0 : lane_sum(lanes);
    for (; i < n; i++) sum = fused(x[i], y[i], sum);
    return sum;
}

/* The sum over the row that both formulas need. */
INLINE float grad_sum(const cru_softmax_grad_args *s, const float *y, const float *dy)
{
    double sum = 0;
    for (int64_t begin = 0; begin < s->count; begin += SUM_PIECE) {
        const int64_t end = s->count - begin < SUM_PIECE ? s->count : begin + SUM_PIECE;
        sum += (double)(s->log ? piece_sum(dy + begin, end - begin) : piece_dot(dy + begin, y + begin, end - begin));
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
        for (int64_t i = 0; i < s->count; i++) store_product(dx + i, y[i], dy[i] - sum, s->accumulate);
    }
}

static void softmax_grad_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_softmax_grad_args *s = task;
    for (int64_t o = begin; o < end; o++) softmax_grad_row(s, o * s->count);
}

static void softmax_grad_groups(const void *task, int64_t begin, int64_t end)
{
    const cru_softmax_grad_args *s = task;
    for (int64_t at = begin; at < end; at++) softmax_grad_columns(s, columns_of_group(at, s->inner));
}

static void softmax_grad(cru_device *device, const cru_softmax_grad_args *args)
{
    if (args->inner == 1) {
        cpu_for(device, &(cpu_loop){args->outer, cpu_grain(CPU_GRAIN_MATH, args->count), softmax_grad_rows, args});
        return;
    }
    const int64_t groups = args->outer * column_groups(args->inner);
    cpu_for(device,
            &(cpu_loop){groups, cpu_grain(CPU_GRAIN_MATH, args->count * COLUMN_GROUP), softmax_grad_groups, args});
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
