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

INLINE float row_sum(const float *x, int64_t n)
{
    double sum = 0;
    for (int64_t begin = 0; begin < n; begin += SUM_PIECE) {
        const int64_t end = n - begin < SUM_PIECE ? n : begin + SUM_PIECE;
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = begin; i < end; i++) part += x[i];
        sum += (double)part;
    }
    return (float)sum;
}

/* Rows of n floats, in order or chosen by `rows`. They are treated in tiles of several, so that the exponentials of
 * many short rows are one long loop. */
typedef struct row_source {
    const float *x;
    const int32_t *rows; /* NULL: row i itself */
    int64_t n;
} row_source;

enum { TILE_ROWS = 64 };

INLINE const float *source_row(const row_source *s, int64_t i)
{
    return s->x + (s->rows ? s->rows[i] : i) * s->n;
}

/* As many rows as fill about 4096 floats, from `begin` on. */
INLINE int64_t rows_in_tile(const row_source *s, int64_t begin, int64_t end)
{
    const int64_t rows = s->n * TILE_ROWS <= 4096 ? TILE_ROWS : s->n > 2048 ? 1 : 4096 / s->n;
    return end - begin < rows ? end - begin : rows;
}

/* y = e^(x - max of the row) for rows begin .. begin + count, y contiguous; keeps the maxima. */
static void exp_tile(const row_source *s, int64_t begin, int64_t count, float *y, float max[TILE_ROWS])
{
    for (int64_t r = 0; r < count; r++) {
        const float *x = source_row(s, begin + r), top = row_max(x, s->n);
#pragma omp simd
        for (int64_t i = 0; i < s->n; i++) y[r * s->n + i] = x[i] - top;
        max[r] = top;
    }
#pragma omp simd
    for (int64_t i = 0; i < count * s->n; i++) y[i] = fast_exp(y[i]);
}

/* Rows begin .. begin + count of softmax over the last axis. */
static void softmax_tile(const cru_softmax_args *s, const row_source *source, int64_t begin, int64_t count)
{
    const int64_t n = source->n;
    float max[TILE_ROWS], *y = s->y + begin * n;
    exp_tile(source, begin, count, y, max);
    for (int64_t r = 0; r < count; r++, y += n) {
        const float sum = row_sum(y, n), scale = 1.0f / sum, shift = max[r] + fast_log(sum);
        const float *x = source_row(source, begin + r);
        if (s->log) {
#pragma omp simd
            for (int64_t i = 0; i < n; i++) y[i] = x[i] - shift;
        } else {
#pragma omp simd
            for (int64_t i = 0; i < n; i++) y[i] *= scale;
        }
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
    const row_source source = {s->x, NULL, s->count};
    if (s->inner == 1) {
        for (int64_t o = begin, count; o < end; o += count) {
            count = rows_in_tile(&source, o, end);
            softmax_tile(s, &source, o, count);
        }
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

static void xent_tile(const cru_xent_args *a, const row_source *source, int64_t begin, int64_t count)
{
    const int64_t n = a->classes;
    float max[TILE_ROWS], *prob = a->prob + begin * n;
    exp_tile(source, begin, count, prob, max);
    for (int64_t r = 0; r < count; r++, prob += n) {
        const int64_t i = begin + r;
        const float sum = row_sum(prob, n), scale = 1.0f / sum;
        const float *x = source_row(source, i);
#pragma omp simd
        for (int64_t j = 0; j < n; j++) prob[j] *= scale;
        a->loss[i] = (a->weights ? a->weights[i] : 1.0f) * (fast_log(sum) - (x[a->labels[i]] - max[r]));
    }
}

static void xent_range(const void *task, int64_t begin, int64_t end)
{
    const cru_xent_args *a = task;
    const row_source source = {a->logits, a->rows, a->classes};
    for (int64_t i = begin, count; i < end; i += count) {
        count = rows_in_tile(&source, i, end);
        xent_tile(a, &source, i, count);
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
