// SPDX-License-Identifier: Apache-2.0
/* Elementwise functions of two broadcast operands and their gradients. */
#ifndef CRUCIBLE_CPU_SIMD_BINARY_H
#define CRUCIBLE_CPU_SIMD_BINARY_H

#include <string.h>

#include "../cpu.h"
#include "elementary.h"

typedef float pair_fn(float a, float b);

INLINE float b_add(float a, float b)
{
    return a + b;
}
INLINE float b_sub(float a, float b)
{
    return a - b;
}
INLINE float b_mul(float a, float b)
{
    return a * b;
}
INLINE float b_div(float a, float b)
{
    return a / b;
}
INLINE float b_max(float a, float b)
{
    return a >= b ? a : b;
}
INLINE float b_min(float a, float b)
{
    return a <= b ? a : b;
}

/* Elements first .. last of a row; `a` and `b` point at its start. Strides of 0 and 1 get loops of their own because
 * they are what a vector unit can do. */
INLINE void pair_row(const cru_binary_args *args, int64_t row, int64_t first, int64_t last, pair_fn *f)
{
    const float *a = args->a.x + row * args->a.row, *b = args->b.x + row * args->b.row;
    const int64_t ca = args->a.col, cb = args->b.col;
    float *y = args->y + row * args->cols;
    if (ca == 1 && cb == 1) {
#pragma omp simd
        for (int64_t j = first; j < last; j++) y[j] = f(a[j], b[j]);
    } else if (ca == 1 && cb == 0) {
        const float value = b[0];
#pragma omp simd
        for (int64_t j = first; j < last; j++) y[j] = f(a[j], value);
    } else if (ca == 0 && cb == 1) {
        const float value = a[0];
#pragma omp simd
        for (int64_t j = first; j < last; j++) y[j] = f(value, b[j]);
    } else {
        for (int64_t j = first; j < last; j++) y[j] = f(a[j * ca], b[j * cb]);
    }
}

/* Flat range of rows x cols. */
INLINE void pair_map(const cru_binary_args *args, int64_t begin, int64_t end, pair_fn *f)
{
    while (begin < end) {
        int64_t row = begin / args->cols, first = begin - row * args->cols;
        int64_t last = end - row * args->cols < args->cols ? end - row * args->cols : args->cols;
        pair_row(args, row, first, last, f);
        begin += last - first;
    }
}

typedef struct binary_task {
    cru_binary op;
    cru_binary_args args;
} binary_task;

static void binary_range(const void *task, int64_t begin, int64_t end)
{
    const binary_task *t = task;
    switch (t->op) {
    case CRU_BINARY_ADD:
        pair_map(&t->args, begin, end, b_add);
        return;
    case CRU_BINARY_SUB:
        pair_map(&t->args, begin, end, b_sub);
        return;
    case CRU_BINARY_MUL:
        pair_map(&t->args, begin, end, b_mul);
        return;
    case CRU_BINARY_DIV:
        pair_map(&t->args, begin, end, b_div);
        return;
    case CRU_BINARY_MAX:
        pair_map(&t->args, begin, end, b_max);
        return;
    case CRU_BINARY_MIN:
        pair_map(&t->args, begin, end, b_min);
        return;
    case CRU_BINARY_COUNT:
        return;
    }
}

/* Whether rows follow each other without a seam, so that the matrix is one long row. */
INLINE bool is_seamless(const cru_operand *x, int64_t cols)
{
    return x->row == x->col * cols;
}

INLINE cru_operand turned(cru_operand x)
{
    return (cru_operand){x.x, x.col, x.row};
}

static void binary(cru_device *device, cru_binary op, const cru_binary_args *args)
{
    binary_task t = {op, *args};
    if (args->rows <= 0 || args->cols <= 0) return;
    if (args->cols == 1) {
        t.args.rows = 1, t.args.cols = args->rows;
        t.args.a = turned(args->a), t.args.b = turned(args->b);
    } else if (is_seamless(&args->a, args->cols) && is_seamless(&args->b, args->cols)) {
        t.args.rows = 1, t.args.cols = args->rows * args->cols;
    }
    cpu_for(device, &(cpu_loop){args->rows * args->cols, CPU_GRAIN_CHEAP, binary_range, &t});
}

#endif
