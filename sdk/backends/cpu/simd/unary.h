// SPDX-License-Identifier: Apache-2.0
/* Elementwise functions of one argument and their gradients. */
#ifndef CRUCIBLE_CPU_SIMD_UNARY_H
#define CRUCIBLE_CPU_SIMD_UNARY_H

#include "../cpu.h"
#include "unary-functions.h"

INLINE void map(const cru_unary_args *args, int64_t begin, int64_t end, point_fn *f)
{
    const float *x = args->x;
    float *y = args->y;
    const float a = args->a, b = args->b;
#pragma omp simd
    for (int64_t i = begin; i < end; i++) y[i] = f((point){.x = x[i], .a = a, .b = b});
}

INLINE void map_slope(const cru_unary_grad_args *args, int64_t begin, int64_t end, point_fn *f)
{
    const float *x = args->x, *y = args->y, *dy = args->dy;
    float *dx = args->dx;
    const float a = args->a, b = args->b;
    if (args->accumulate) {
#pragma omp simd
        for (int64_t i = begin; i < end; i++) dx[i] += dy[i] * f((point){x[i], y[i], a, b});
    } else {
#pragma omp simd
        for (int64_t i = begin; i < end; i++) dx[i] = dy[i] * f((point){x[i], y[i], a, b});
    }
}

typedef struct unary_task {
    cru_unary op;
    const cru_unary_args *args;
} unary_task;

/* Each case is a vectorised loop with the function inlined. */
static void unary_range(const void *task, int64_t begin, int64_t end)
{
    const unary_task *t = task;
    switch (t->op) {
    case CRU_UNARY_COPY:
        map(t->args, begin, end, f_copy);
        return;
    case CRU_UNARY_SCALE:
        map(t->args, begin, end, f_scale);
        return;
    case CRU_UNARY_RELU:
        map(t->args, begin, end, f_relu);
        return;
    case CRU_UNARY_LEAKY:
        map(t->args, begin, end, f_leaky);
        return;
    case CRU_UNARY_ELU:
        map(t->args, begin, end, f_elu);
        return;
    case CRU_UNARY_SELU:
        map(t->args, begin, end, f_selu);
        return;
    case CRU_UNARY_GELU:
        map(t->args, begin, end, f_gelu);
        return;
    case CRU_UNARY_TANH:
        map(t->args, begin, end, f_tanh);
        return;
    case CRU_UNARY_SIGMOID:
        map(t->args, begin, end, f_sigmoid);
        return;
    case CRU_UNARY_SOFTPLUS:
        map(t->args, begin, end, f_softplus);
        return;
    case CRU_UNARY_LOGSIGMOID:
        map(t->args, begin, end, f_logsigmoid);
        return;
    case CRU_UNARY_EXP:
        map(t->args, begin, end, f_exp);
        return;
    case CRU_UNARY_LOG:
        map(t->args, begin, end, f_log);
        return;
    case CRU_UNARY_ABS:
        map(t->args, begin, end, f_abs);
        return;
    case CRU_UNARY_POW:
        if (t->args->a == 2.0f)
            map(t->args, begin, end, f_square);
        else
            map(t->args, begin, end, f_pow);
        return;
    case CRU_UNARY_SQRT:
        map(t->args, begin, end, f_sqrt);
        return;
    case CRU_UNARY_CLAMP:
        map(t->args, begin, end, f_clamp);
        return;
    case CRU_UNARY_RECIPROCAL:
        map(t->args, begin, end, f_reciprocal);
        return;
    case CRU_UNARY_SIGN:
        map(t->args, begin, end, f_sign);
        return;
    case CRU_UNARY_LGAMMA:
        map(t->args, begin, end, f_lgamma);
        return;
    case CRU_UNARY_DIGAMMA:
        map(t->args, begin, end, f_digamma);
        return;
    case CRU_UNARY_SIN:
        map(t->args, begin, end, f_sin);
        return;
    case CRU_UNARY_COS:
        map(t->args, begin, end, f_cos);
        return;
    case CRU_UNARY_LOG1P:
        map(t->args, begin, end, f_log1p);
        return;
    case CRU_UNARY_COUNT:
        return;
    }
}

typedef struct unary_grad_task {
    cru_unary op;
    const cru_unary_grad_args *args;
} unary_grad_task;

static void unary_grad_range(const void *task, int64_t begin, int64_t end)
{
    const unary_grad_task *t = task;
    switch (t->op) {
    case CRU_UNARY_COPY:
        map_slope(t->args, begin, end, g_copy);
        return;
    case CRU_UNARY_SCALE:
        map_slope(t->args, begin, end, g_scale);
        return;
    case CRU_UNARY_RELU:
        map_slope(t->args, begin, end, g_relu);
        return;
    case CRU_UNARY_LEAKY:
        map_slope(t->args, begin, end, g_leaky);
        return;
    case CRU_UNARY_ELU:
        map_slope(t->args, begin, end, g_elu);
        return;
    case CRU_UNARY_SELU:
        map_slope(t->args, begin, end, g_selu);
        return;
    case CRU_UNARY_GELU:
        map_slope(t->args, begin, end, g_gelu);
        return;
    case CRU_UNARY_TANH:
        map_slope(t->args, begin, end, g_tanh);
        return;
    case CRU_UNARY_SIGMOID:
        map_slope(t->args, begin, end, g_sigmoid);
        return;
    case CRU_UNARY_SOFTPLUS:
        map_slope(t->args, begin, end, g_softplus);
        return;
    case CRU_UNARY_LOGSIGMOID:
        map_slope(t->args, begin, end, g_logsigmoid);
        return;
    case CRU_UNARY_EXP:
        map_slope(t->args, begin, end, g_exp);
        return;
    case CRU_UNARY_LOG:
        map_slope(t->args, begin, end, g_log);
        return;
    case CRU_UNARY_ABS:
        map_slope(t->args, begin, end, g_abs);
        return;
    case CRU_UNARY_POW:
        if (t->args->a == 2.0f)
            map_slope(t->args, begin, end, g_square);
        else
            map_slope(t->args, begin, end, g_pow);
        return;
    case CRU_UNARY_SQRT:
        map_slope(t->args, begin, end, g_sqrt);
        return;
    case CRU_UNARY_CLAMP:
        map_slope(t->args, begin, end, g_clamp);
        return;
    case CRU_UNARY_RECIPROCAL:
        map_slope(t->args, begin, end, g_reciprocal);
        return;
    case CRU_UNARY_SIGN:
        map_slope(t->args, begin, end, g_sign);
        return;
    case CRU_UNARY_LGAMMA:
        map_slope(t->args, begin, end, g_lgamma);
        return;
    case CRU_UNARY_DIGAMMA:
        map_slope(t->args, begin, end, g_digamma);
        return;
    case CRU_UNARY_SIN:
        map_slope(t->args, begin, end, g_sin);
        return;
    case CRU_UNARY_COS:
        map_slope(t->args, begin, end, g_cos);
        return;
    case CRU_UNARY_LOG1P:
        map_slope(t->args, begin, end, g_log1p);
        return;
    case CRU_UNARY_COUNT:
        return;
    }
}

static void unary(cru_device *device, cru_unary op, const cru_unary_args *args)
{
    unary_task t = {op, args};
    cpu_for(device, &(cpu_loop){.items = args->n, .grain = CPU_GRAIN_MATH, .run = unary_range, .task = &t});
}

static void unary_grad(cru_device *device, cru_unary op, const cru_unary_grad_args *args)
{
    unary_grad_task t = {op, args};
    cpu_for(device, &(cpu_loop){.items = args->n, .grain = CPU_GRAIN_MATH, .run = unary_grad_range, .task = &t});
}

static void fill_range(const void *task, int64_t begin, int64_t end)
{
    const cru_unary_args *args = task;
    for (int64_t i = begin; i < end; i++) args->y[i] = args->b;
}

static void fill(cru_device *device, float *x, int64_t n, float value)
{
    cru_unary_args args = {.y = x, .b = value};
    cpu_for(device, &(cpu_loop){.items = n, .grain = CPU_GRAIN_CHEAP, .run = fill_range, .task = &args});
}

#endif
