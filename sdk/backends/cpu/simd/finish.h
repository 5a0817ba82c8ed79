// SPDX-License-Identifier: Apache-2.0
/* What follows a product: bias, activation and dropout, and their gradient. Rows are treated in bands that stay in the
 * first cache, so that the passes over a band cost little more than one. */
#ifndef CRUCIBLE_CPU_SIMD_FINISH_H
#define CRUCIBLE_CPU_SIMD_FINISH_H

#include "../cpu.h"
#include "dropout.h"
#include "sums.h"
#include "unary.h"

enum { BAND_FLOATS = 4096 };

INLINE int64_t rows_in_band(int64_t cols)
{
    return cols < BAND_FLOATS ? BAND_FLOATS / (cols > 0 ? cols : 1) : 1;
}

/* Dropout in place of the `count` elements at y, of which the first is element `first`. */
INLINE void drop_in_place(const cru_finish *f, float *y, int64_t first, int64_t count)
{
    const cru_dropout_args args = {.p = f->p, .key = {f->key[0], f->key[1]}, .stream = f->stream};
    drop(&args, &(drop_span){y, y, first, count});
}

INLINE void add_bias(float *y, const float *bias, int64_t rows, int64_t cols, bool relu)
{
    for (int64_t i = 0; i < rows; i++, y += cols) {
        if (relu) {
#pragma omp simd
            for (int64_t j = 0; j < cols; j++) y[j] = f_relu((point){.x = y[j] + bias[j]});
        } else {
#pragma omp simd
            for (int64_t j = 0; j < cols; j++) y[j] += bias[j];
        }
    }
}

/* Some rows, the first of which is row `first` and at y. */
static void finish_band(const cru_finish *f, float *y, int64_t first, int64_t rows, int64_t cols)
{
    const bool with_relu = f->bias && f->act == CRU_UNARY_RELU;
    if (f->bias) add_bias(y, f->bias, rows, cols, with_relu);
    if (f->act != CRU_UNARY_COPY && !with_relu) {
        const cru_unary_args args = {.x = y, .y = y, .a = f->a};
        unary_range(&(unary_task){f->act, &args}, 0, rows * cols);
    }
    if (f->p > 0) drop_in_place(f, y, first * cols, rows * cols);
}

static void finish_range(const void *task, int64_t begin, int64_t end)
{
    const cru_finish_args *args = task;
    const int64_t band = rows_in_band(args->cols);
    for (int64_t i = begin; i < end; i += band) {
        const int64_t first = args->first + i;
        finish_band(args->finish, args->y + first * args->cols, first, end - i < band ? end - i : band, args->cols);
    }
}

static void finish(cru_device *device, const cru_finish_args *args)
{
    cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_CHEAP, args->cols), finish_range, args});
}

/* Of a dropped element the result is 0, like that of a negative one: after relu the result tells both. */
static void unfinish_relu(const cru_finish_grad_args *g, int64_t begin, int64_t end)
{
    const float scale = 1.0f / (1.0f - g->finish->p), *y = g->y;
    float *dy = g->dy;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) dy[i] = y[i] > 0 ? dy[i] * scale : 0.0f;
}

/* The activation's result before dropout is y (1 - p) where it was kept; elsewhere the gradient is 0 already. */
static void unfinish_any(const cru_finish_grad_args *g, int64_t begin, int64_t end)
{
    const cru_finish *f = g->finish;
    float before[BAND_FLOATS];
    if (f->p > 0) drop_in_place(f, g->dy + begin, begin, end - begin);
    if (f->act == CRU_UNARY_COPY) return;
    for (int64_t i = begin; i < end; i += BAND_FLOATS) {
        const int64_t n = end - i < BAND_FLOATS ? end - i : BAND_FLOATS;
        for (int64_t j = 0; j < n; j++) before[j] = g->y[i + j] * (1.0f - f->p);
        const cru_unary_grad_args args = {.x = before, .y = before, .dy = g->dy + i, .dx = g->dy + i, .a = f->a};
        unary_grad_range(&(unary_grad_task){f->act, &args}, 0, n);
    }
}

static void unfinish_rows(const void *task, int64_t begin, int64_t end, double *sum)
{
    const cru_finish_grad_args *g = task;
    const int64_t band = rows_in_band(g->cols);
    const bool passes = g->finish->act == CRU_UNARY_COPY && g->finish->p == 0;
    for (int64_t i = begin; i < end; i += band) {
        const int64_t rows = end - i < band ? end - i : band;
        if (g->finish->act == CRU_UNARY_RELU)
            unfinish_relu(g, i * g->cols, (i + rows) * g->cols);
        else if (!passes)
            unfinish_any(g, i * g->cols, (i + rows) * g->cols);
        if (sum) add_rows(g->dy + i * g->cols, rows, g->cols, sum);
    }
}

static void unfinish_range(const void *task, int64_t begin, int64_t end)
{
    unfinish_rows(task, begin, end, NULL);
}

static void store_bias_grad(const cru_finish_grad_args *args, const double *total)
{
    for (int64_t j = 0; j < args->cols; j++) cpu_store(args->dbias + j, (float)total[j], args->accumulate);
}

static void finish_grad(cru_device *device, const cru_finish_grad_args *args)
{
    if (!args->dbias) {
        cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_CHEAP, args->cols), unfinish_range, args});
        return;
    }
    double *total = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(double) * (size_t)args->cols);
    cpu_sum(device, &(cpu_sums){.rows = args->rows, .width = args->cols, .run = unfinish_rows, .task = args}, total);
    store_bias_grad(args, total);
}

#endif
