/* Softmax and log-softmax over the middle axis of outer x count x inner, their gradients, and softmax cross-entropy. */
#ifndef CRUCIBLE_CPU_SIMD_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_SOFTMAX_H

#include "../cpu.h"
#include "elementary.h"

INLINE float row_max(const float *x, int64_t n)
{
    float best = -INFINITY;
#pragma omp simd reduction(max : best)
    for (int64_t i = 0; i < n; i++) best = x[i] > best ? x[i] : best;
    return best;
}

/* Sums of a row are taken in pieces, so that a long row does not lose precision. */
enum { SUM_PIECE = 512 };

/* y = e^(x - max), returns the sum of y. */
INLINE float exp_row(const float *x, float *y, int64_t n, float max)
{
    double sum = 0;
    for (int64_t begin = 0; begin < n; begin += SUM_PIECE) {
        const int64_t end = n - begin < SUM_PIECE ? n : begin + SUM_PIECE;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) {
            y[i] = fast_exp(x[i] - max);
            part += y[i];
        }
        sum += (double)part;
    }
    return (float)sum;
}

INLINE float exp_sum(const float *x, int64_t n, float max)
{
    double sum = 0;
    for (int64_t begin = 0; begin < n; begin += SUM_PIECE) {
        const int64_t end = n - begin < SUM_PIECE ? n : begin + SUM_PIECE;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += fast_exp(x[i] - max);
        sum += (double)part;
    }
    return (float)sum;
}

static void softmax_row(const float *x, float *y, int64_t n, bool log)
{
    const float max = row_max(x, n);
    if (log) {
        const float shift = max + fast_log(exp_sum(x, n, max));
#pragma omp simd
        for (int64_t i = 0; i < n; i++) y[i] = x[i] - shift;
        return;
    }
    const float scale = 1.0f / exp_row(x, y, n, max);
#pragma omp simd
    for (int64_t i = 0; i < n; i++) y[i] *= scale;
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
    for (int64_t o = begin; o < end; o++) {
        const int64_t at = o * s->count * s->inner;
        if (s->inner == 1)
            softmax_row(s->x + at, s->y + at, s->count, s->log);
        else
            for (int64_t k = 0; k < s->inner; k++) softmax_column(s->x + at + k, s->y + at + k, s);
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

static void xent_range(const void *task, int64_t begin, int64_t end)
{
    const cru_xent_args *a = task;
    const int64_t n = a->classes;
    for (int64_t i = begin; i < end; i++) {
        const float *x = a->logits + (a->rows ? a->rows[i] : i) * n, max = row_max(x, n);
        float *prob = a->prob + i * n;
        const float sum = exp_row(x, prob, n, max), scale = 1.0f / sum;
#pragma omp simd
        for (int64_t j = 0; j < n; j++) prob[j] *= scale;
        a->loss[i] = (a->weights ? a->weights[i] : 1.0f) * (fast_log(sum) - (x[a->labels[i]] - max));
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
#pragma omp simd
        for (int64_t j = 0; j < n; j++) dx[j] += scale * prob[j];
        dx[a->labels[i]] -= scale;
    }
}

static void xent_grad(cru_device *device, const cru_xent_grad_args *args)
{
    cpu_for(device, &(cpu_loop){args->count, cpu_grain(CPU_GRAIN_CHEAP, args->classes), xent_grad_range, args});
}

#endif
