// SPDX-License-Identifier: Apache-2.0
/* Per-channel statistics of outer x channels x inner, normalisation by them, and its gradient.
 *
 * When inner is 1 the channels are the columns of a matrix and the sums run down its rows, many channels at a time;
 * else a channel is a set of contiguous runs and channels are independent of each other. */
#ifndef CRUCIBLE_CPU_SIMD_NORM_H
#define CRUCIBLE_CPU_SIMD_NORM_H

#include "../cpu.h"
#include "elementary.h"
#include "sums.h"

/* sum[c] += x, sum[channels + c] += x^2 */
static void sum_squares_rows(const void *task, int64_t begin, int64_t end, double *sum)
{
    const cru_norm_args *n = task;
    const int64_t width = n->channels;
    for (int64_t i = begin; i < end; i++) {
        const float *x = n->x + i * width;
        for (int64_t c = 0; c < width; c++) {
            const double value = (double)x[c];
            sum[c] += value;
            sum[width + c] += value * value;
        }
    }
}

INLINE void finish_stats(const cru_norm_args *n, int64_t channel, double sum, double squares)
{
    const double count = (double)(n->outer * n->inner), mean = count > 0 ? sum / count : 0;
    const double var = count > 0 ? squares / count - mean * mean : 0;
    n->mean[channel] = (float)mean;
    n->var[channel] = (float)(var > 0 || var != var ? var : 0);
}

static void stats_channels(const void *task, int64_t begin, int64_t end)
{
    const cru_norm_args *n = task;
    for (int64_t c = begin; c < end; c++) {
        wide sums = {0}, products = {0};
        double sum = 0, squares = 0;
        for (int64_t o = 0; o < n->outer; o++) {
            const float *x = n->x + (o * n->channels + c) * n->inner;
            int64_t k = 0;
            for (; k + SUM_LANES <= n->inner; k += SUM_LANES) {
                const wide value = __builtin_convertvector(*(const wide_floats *)(x + k), wide);
                sums += value;
                products += value * value;
            }
            for (; k < n->inner; k++) {
                sum += (double)x[k];
                squares += (double)x[k] * (double)x[k];
            }
        }
        finish_stats(n, c, wide_sum(&sums) + sum, wide_sum(&products) + squares);
    }
}

static void norm_stats(cru_device *device, const cru_norm_args *args)
{
    if (args->inner != 1) {
        cpu_for(device, &(cpu_loop){args->channels, cpu_grain(CPU_GRAIN_CHEAP, args->outer * args->inner),
                                    stats_channels, args});
        return;
    }
    double *sum = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(double) * 2 * (size_t)args->channels);
    cpu_sum(device,
            &(cpu_sums){.rows = args->outer, .width = 2 * args->channels, .run = sum_squares_rows, .task = args}, sum);
    for (int64_t c = 0; c < args->channels; c++) finish_stats(args, c, sum[c], sum[args->channels + c]);
}

INLINE float deviation_inverse(float var, float eps)
{
    return 1.0f / sqrtf(var + eps);
}

/* Runs begin .. end of `inner` elements; run r belongs to channel r % channels. */
static void norm_runs(const void *task, int64_t begin, int64_t end)
{
    const cru_norm_args *n = task;
    for (int64_t r = begin; r < end; r++) {
        const int64_t c = r % n->channels;
        const float scale = deviation_inverse(n->var[c], n->eps) * (n->gain ? n->gain[c] : 1.0f);
        const float shift = n->shift ? n->shift[c] : 0.0f, mean = n->mean[c], *x = n->x + r * n->inner;
        float *y = n->y + r * n->inner;
#pragma omp simd
        for (int64_t k = 0; k < n->inner; k++) y[k] = (x[k] - mean) * scale + shift;
    }
}

typedef struct norm_task {
    const cru_norm_args *n;
    const float *scale, *shift;
} norm_task;

static void norm_rows(const void *task, int64_t begin, int64_t end)
{
    const norm_task *t = task;
    const int64_t width = t->n->channels;
    const float *mean = t->n->mean, *scale = t->scale, *shift = t->shift;
    for (int64_t i = begin; i < end; i++) {
        const float *x = t->n->x + i * width;
        float *y = t->n->y + i * width;
#pragma omp simd
        for (int64_t c = 0; c < width; c++) y[c] = (x[c] - mean[c]) * scale[c] + shift[c];
    }
}

static void norm(cru_device *device, const cru_norm_args *args)
{
    const int64_t channels = args->channels;
    if (args->inner != 1) {
        cpu_loop loop = {args->outer * channels, cpu_grain(CPU_GRAIN_CHEAP, args->inner), norm_runs, args};
        cpu_for(device, &loop);
        return;
    }
    float *scale = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(float) * 2 * (size_t)channels);
    for (int64_t c = 0; c < channels; c++) {
        scale[c] = deviation_inverse(args->var[c], args->eps) * (args->gain ? args->gain[c] : 1.0f);
        scale[channels + c] = args->shift ? args->shift[c] : 0.0f;
    }
    norm_task t = {args, scale, scale + channels};
    cpu_for(device, &(cpu_loop){args->outer, cpu_grain(CPU_GRAIN_CHEAP, channels), norm_rows, &t});
}

#endif
