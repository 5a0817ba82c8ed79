// SPDX-License-Identifier: Apache-2.0
/* The gradient of per-channel normalisation. With h = (x - mean) / sqrt(var + eps) and averages over a channel:
 *
 *     dshift = sum dy      dgain = sum dy h      dx = gain / sqrt(var + eps) (dy - avg(dy) - h avg(dy h))
 *
 * and without the two averages when mean and var are constants. So dx = p dy + q (x - mean) + r with p, q, r per
 * channel. */
#ifndef CRUCIBLE_CPU_SIMD_NORM_GRAD_H
#define CRUCIBLE_CPU_SIMD_NORM_GRAD_H

#include "../cpu.h"
#include "norm.h"

/* sum[c] += dy, sum[channels + c] += dy (x - mean) */
static void sum_grads_rows(const void *task, int64_t begin, int64_t end, double *sum)
{
    const cru_norm_grad_args *g = task;
    const int64_t width = g->channels;
    for (int64_t i = begin; i < end; i++) {
        const float *x = g->x + i * width, *dy = g->dy + i * width;
        for (int64_t c = 0; c < width; c++) {
            sum[c] += (double)dy[c];
            sum[width + c] += (double)(dy[c] * (x[c] - g->mean[c]));
        }
    }
}

typedef struct norm_grad_task {
    const cru_norm_grad_args *g;
    double *sum;      /* as above */
    float *p, *q, *r; /* per channel */
} norm_grad_task;

static void sum_grads_channels(const void *task, int64_t begin, int64_t end)
{
    const norm_grad_task *t = task;
    const cru_norm_grad_args *g = t->g;
    for (int64_t c = begin; c < end; c++) {
        const float mean = g->mean[c];
        wide plains = {0}, products = {0};
        double plain = 0, product = 0;
        for (int64_t o = 0; o < g->outer; o++) {
            const int64_t at = (o * g->channels + c) * g->inner;
            const float *x = g->x + at, *dy = g->dy + at;
            int64_t k = 0;
            for (; k + SUM_LANES <= g->inner; k += SUM_LANES) {
                add_widened(&plains, dy + k);
                const wide_floats moved = *(const wide_floats *)(x + k) - mean;
                products += __builtin_convertvector(*(const wide_floats *)(dy + k) * moved, wide);
            }
            for (; k < g->inner; k++) {
                plain += (double)dy[k];
                product += (double)(dy[k] * (x[k] - mean));
            }
        }
        t->sum[c] = wide_sum(&plains) + plain;
        t->sum[g->channels + c] = wide_sum(&products) + product;
    }
}

static void finish_norm_grad(const norm_grad_task *t)
{
    const cru_norm_grad_args *g = t->g;
    const double count = (double)(g->outer * g->inner);
    for (int64_t c = 0; c < g->channels; c++) {
        const double inverse = 1.0 / sqrt((double)g->var[c] + (double)g->eps);
        const double dshift = t->sum[c], dgain = t->sum[g->channels + c] * inverse;
        if (g->dshift) cpu_store(g->dshift + c, (float)dshift, g->accumulate);
        if (g->dgain) cpu_store(g->dgain + c, (float)dgain, g->accumulate);
        const double p = inverse * (g->gain ? (double)g->gain[c] : 1.0);
        const double q = g->batch_stats && count > 0 ? -p * dgain / count * inverse : 0;
        t->p[c] = (float)p;
        t->q[c] = (float)q;
        t->r[c] = g->batch_stats && count > 0 ? (float)(-p * dshift / count) : 0.0f;
    }
}

static void norm_grad_runs(const void *task, int64_t begin, int64_t end)
{
    const norm_grad_task *t = task;
    const cru_norm_grad_args *g = t->g;
    for (int64_t run = begin; run < end; run++) {
        const int64_t c = run % g->channels, at = run * g->inner;
        const float p = t->p[c], q = t->q[c], r = t->r[c], mean = g->mean[c], *x = g->x + at, *dy = g->dy + at;
        float *dx = g->dx + at;
#pragma omp simd
        for (int64_t k = 0; k < g->inner; k++) cpu_store(dx + k, p * dy[k] + (q * (x[k] - mean) + r), g->accumulate);
    }
}

static void norm_grad_rows(const void *task, int64_t begin, int64_t end)
{
    const norm_grad_task *t = task;
    const cru_norm_grad_args *g = t->g;
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = i * g->channels;
        const float *p = t->p, *q = t->q, *r = t->r, *mean = g->mean, *x = g->x + at, *dy = g->dy + at;
        float *dx = g->dx + at;
#pragma omp simd
        for (int64_t c = 0; c < g->channels; c++)
            cpu_store(dx + c, p[c] * dy[c] + (q[c] * (x[c] - mean[c]) + r[c]), g->accumulate);
    }
}

static void norm_grad(cru_device *device, const cru_norm_grad_args *args)
{
    const int64_t channels = args->channels, runs = args->outer * channels;
    double *sum = cpu_scratch(device, CPU_SCRATCH_RESULT, (2 * sizeof(double) + 3 * sizeof(float)) * (size_t)channels);
    float *p = (float *)(sum + 2 * channels);
    norm_grad_task t = {.g = args, .sum = sum, .p = p, .q = p + channels, .r = p + 2 * channels};
    if (args->inner == 1)
        cpu_sum(device, &(cpu_sums){.rows = args->outer, .width = 2 * channels, .run = sum_grads_rows, .task = args},
                sum);
    else
        cpu_for(device,
                &(cpu_loop){channels, cpu_grain(CPU_GRAIN_CHEAP, args->outer * args->inner), sum_grads_channels, &t});
    finish_norm_grad(&t);
    if (!args->dx) return;
    if (args->inner == 1)
        cpu_for(device, &(cpu_loop){args->outer, cpu_grain(CPU_GRAIN_CHEAP, channels), norm_grad_rows, &t});
    else
        cpu_for(device, &(cpu_loop){runs, cpu_grain(CPU_GRAIN_CHEAP, args->inner), norm_grad_runs, &t});
}

#endif
