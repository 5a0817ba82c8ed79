// SPDX-License-Identifier: Apache-2.0
/* Optimiser steps with PyTorch's formulas. */
#ifndef CRUCIBLE_CPU_SIMD_OPTIM_H
#define CRUCIBLE_CPU_SIMD_OPTIM_H

#include "../cpu.h"
#include "elementary.h"

typedef struct adam_task {
    const cru_adam_args *a;
    float shrink;     /* decoupled decay: 1 - lr decay */
    float rate;       /* lr / (1 - beta1^t) */
    float unbias;     /* 1 / sqrt(1 - beta2^t) */
    float new1, new2; /* 1 - beta1, 1 - beta2 */
} adam_task;

/* `amsgrad` is a constant in each call. */
INLINE void adam_map(const adam_task *t, int64_t begin, int64_t end, bool amsgrad)
{
    const cru_adam_args a = *t->a;
    const float shrink = t->shrink, rate = t->rate, unbias = t->unbias, new1 = t->new1, new2 = t->new2;
    const float decay = a.decoupled ? 0.0f : a.decay;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        const float w = a.w[i] * shrink, g = a.g[i] + decay * w;
        const float m = a.beta1 * a.m[i] + new1 * g, v = a.beta2 * a.v[i] + new2 * g * g;
        float top = v;
        if (amsgrad) {
            top = a.vmax[i] > v ? a.vmax[i] : v;
            a.vmax[i] = top;
        }
        a.m[i] = m;
        a.v[i] = v;
        a.w[i] = w - rate * m / (sqrtf(top) * unbias + a.eps);
    }
}

static void adam_range(const void *task, int64_t begin, int64_t end)
{
    const adam_task *t = task;
    if (t->a->amsgrad)
        adam_map(t, begin, end, true);
    else
        adam_map(t, begin, end, false);
}

static void adam(cru_device *device, const cru_adam_args *args)
{
    const double step = (double)args->step;
    adam_task t = {
        .a = args,
        .shrink = args->decoupled ? (float)(1.0 - (double)args->lr * (double)args->decay) : 1.0f,
        .rate = (float)((double)args->lr / (1.0 - pow((double)args->beta1, step))),
        .unbias = (float)(1.0 / sqrt(1.0 - pow((double)args->beta2, step))),
        .new1 = (float)(1.0 - (double)args->beta1),
        .new2 = (float)(1.0 - (double)args->beta2),
    };
    cpu_for(device, &(cpu_loop){args->n, CPU_GRAIN_MATH, adam_range, &t});
}

static void sgd_range(const void *task, int64_t begin, int64_t end)
{
    const cru_sgd_args a = *(const cru_sgd_args *)task;
    if (!a.velocity) {
#pragma omp simd
        for (int64_t i = begin; i < end; i++) a.w[i] -= a.lr * (a.g[i] + a.decay * a.w[i]);
        return;
    }
    /* The first step starts the velocity at the gradient itself, undamped. */
    const float keep = a.step == 1 ? 0.0f : a.momentum, add = a.step == 1 ? 1.0f : 1.0f - a.dampening;
    const float from_g = a.nesterov ? 1.0f : 0.0f, from_v = a.nesterov ? a.momentum : 1.0f;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) {
        const float g = a.g[i] + a.decay * a.w[i];
        const float v = fused(keep, keep == 0.0f ? 0.0f : a.velocity[i], add * g);
        a.velocity[i] = v;
        a.w[i] -= a.lr * fused(from_g, g, from_v * v);
    }
}

static void sgd(cru_device *device, const cru_sgd_args *args)
{
    cpu_for(device, &(cpu_loop){args->n, CPU_GRAIN_CHEAP, sgd_range, args});
}

#endif
