// SPDX-License-Identifier: Apache-2.0
/* Reductions over the middle axis of outer x count x inner, and their gradient. */
#ifndef CRUCIBLE_CPU_SIMD_REDUCE_H
#define CRUCIBLE_CPU_SIMD_REDUCE_H

#include <string.h>

#include "../cpu.h"
#include "columns.h"
#include "sums.h"

typedef struct reduce_task {
    cru_reduce_args r;
    bool min;
    double scale; /* of the finished sum */
} reduce_task;

/* Sums of one long axis: rows begin .. end of count x inner. */
static void sum_axis(const void *task, int64_t begin, int64_t end, double *sum)
{
    const cru_reduce_args *r = &((const reduce_task *)task)->r;
    if (r->inner == 1)
        *sum += row_total(r->x + begin, end - begin);
    else
        add_rows(r->x + begin * r->inner, end - begin, r->inner, sum);
}

/* The inner axis is taken in strips so that the sums of a strip stay in the first cache. */
static void sum_outer(const void *task, int64_t begin, int64_t end)
{
    enum { STRIP = 64 };
    const reduce_task *t = task;
    const cru_reduce_args *r = &t->r;
    for (int64_t o = begin; o < end; o++) {
        const float *x = r->x + o * r->count * r->inner;
        if (r->inner == 1) {
            r->y[o] = (float)(row_total(x, r->count) * t->scale);
            continue;
        }
        for (int64_t k0 = 0; k0 < r->inner; k0 += STRIP) {
            double s[STRIP] = {0};
            const int64_t width = r->inner - k0 < STRIP ? r->inner - k0 : STRIP;
            for (int64_t i = 0; i < r->count; i++)
                for (int64_t k = 0; k < width; k++) s[k] += (double)x[i * r->inner + k0 + k];
            for (int64_t k = 0; k < width; k++) r->y[o * r->inner + k0 + k] = (float)(s[k] * t->scale);
        }
    }
}

/* A sum has enough independent parts unless there are few outer slices and a long axis. */
static void reduce_sum(cru_device *device, const reduce_task *t)
{
    const cru_reduce_args *r = &t->r;
    if (r->outer > 16 || r->count * r->inner < CPU_GRAIN_CHEAP) {
        cpu_for(device, &(cpu_loop){r->outer, cpu_grain(CPU_GRAIN_CHEAP, r->count * r->inner), sum_outer, t});
        return;
    }
    double *total = cpu_scratch(device, CPU_SCRATCH_RESULT, sizeof(double) * (size_t)r->inner);
    for (int64_t o = 0; o < r->outer; o++) {
        reduce_task one = {.r = *r};
        one.r.x += o * r->count * r->inner;
        cpu_sum(device, &(cpu_sums){.rows = r->count, .width = r->inner, .run = sum_axis, .task = &one}, total);
        for (int64_t k = 0; k < r->inner; k++) r->y[o * r->inner + k] = (float)(total[k] * t->scale);
    }
}

INLINE bool wins(float value, float best, bool min)
{
    return (min ? value < best : value > best) || (value != value && best == best);
}

/* The first place of the extreme of a row, looked for with NaN and infinities in mind. */
static int64_t extreme_of_odd_row(const float *x, int64_t n, bool min)
{
    int64_t where = 0;
    for (int64_t i = 1; i < n; i++)
        if (wins(x[i], x[where], min)) where = i;
    return where;
}

/* That place for finite numbers: the extreme first, then its place, a block at a time. */
INLINE int64_t extreme_of_row(const float *x, int64_t n, bool min)
{
    enum { BLOCK = 16 };
    const float sign = min ? -1.0f : 1.0f;
    float top = -INFINITY, odd = 0;
#pragma omp simd reduction(max : top) reduction(+ : odd)
    for (int64_t i = 0; i < n; i++) {
        const float value = sign * x[i];
        top = value > top ? value : top;
        odd += value - value;
    }
    if (!(odd == 0)) return extreme_of_odd_row(x, n, min);
    int64_t i = 0;
    for (int32_t found = 0; i + BLOCK <= n; i += BLOCK) {
#pragma omp simd reduction(| : found)
        for (int64_t k = 0; k < BLOCK; k++) found |= sign * x[i + k] == top;
        if (found) break;
    }
    while (sign * x[i] != top) i++;
    return i;
}

static void extreme_rows(const void *task, int64_t begin, int64_t end)
{
    const reduce_task *t = task;
    const cru_reduce_args *r = &t->r;
    for (int64_t o = begin; o < end; o++) {
        const float *x = r->x + o * r->count;
        const int64_t where = t->min ? extreme_of_row(x, r->count, true) : extreme_of_row(x, r->count, false);
        r->y[o] = x[where];
        if (r->where) r->where[o] = (int32_t)where;
    }
}

/* Columns side by side, the best of each so far and where it was. */
INLINE void extreme_columns(const reduce_task *t, int64_t from, int64_t to, bool min)
{
    const cru_reduce_args *r = &t->r;
    const int64_t outer = from / r->inner, width = to - from;
    const float *x = r->x + outer * r->count * r->inner + from % r->inner;
    float best[COLUMN_GROUP];
    int32_t where[COLUMN_GROUP] = {0};
    memcpy(best, x, sizeof(float) * (size_t)width);
    for (int64_t i = 1; i < r->count; i++) {
        const float *row = x + i * r->inner;
#pragma omp simd
        for (int64_t k = 0; k < width; k++) {
            const bool take = wins(row[k], best[k], min);
            best[k] = take ? row[k] : best[k];
            where[k] = take ? (int32_t)i : where[k];
        }
    }
    memcpy(r->y + from, best, sizeof(float) * (size_t)width);
    if (r->where) memcpy(r->where + from, where, sizeof(int32_t) * (size_t)width);
}

/* Groups begin .. end, numbered through all outer slices. */
static void extreme_groups(const void *task, int64_t begin, int64_t end)
{
    const reduce_task *t = task;
    for (int64_t at = begin; at < end; at++) {
        const columns c = columns_of_group(at, t->r.inner);
        if (t->min)
            extreme_columns(t, c.from, c.to, true);
        else
            extreme_columns(t, c.from, c.to, false);
    }
}

/* NaN wins, as in PyTorch; of nothing the extreme is 0, and nowhere. */
static void reduce_extreme(cru_device *device, const reduce_task *t)
{
    const cru_reduce_args *r = &t->r;
    if (r->count <= 0) {
        for (int64_t i = 0; i < r->outer * r->inner; i++) {
            r->y[i] = 0;
            if (r->where) r->where[i] = -1;
        }
    } else if (r->inner == 1) {
        cpu_for(device, &(cpu_loop){r->outer, cpu_grain(CPU_GRAIN_CHEAP, r->count), extreme_rows, t});
    } else {
        cpu_for(device, &(cpu_loop){r->outer * column_groups(r->inner),
                                    cpu_grain(CPU_GRAIN_CHEAP, r->count * COLUMN_GROUP), extreme_groups, t});
    }
}

static void reduce(cru_device *device, cru_reduce op, const cru_reduce_args *args)
{
    reduce_task t = {.r = *args, .min = op == CRU_REDUCE_MIN, .scale = 1.0};
    if (args->outer <= 0 || args->inner <= 0) return;
    if (op == CRU_REDUCE_MEAN) t.scale = 1.0 / (double)args->count;
    if (op == CRU_REDUCE_SUM || op == CRU_REDUCE_MEAN)
        reduce_sum(device, &t);
    else
        reduce_extreme(device, &t);
}

static void spread_range(const void *task, int64_t begin, int64_t end)
{
    const cru_spread_args *s = task;
    for (int64_t o = begin; o < end; o++) {
        const float *dy = s->dy + o * s->inner;
        const int32_t *where = s->where ? s->where + o * s->inner : NULL;
        float *dx = s->dx + o * s->count * s->inner;
        if (!s->accumulate && where) memset(dx, 0, sizeof(float) * (size_t)(s->count * s->inner));
        if (where) {
            for (int64_t k = 0; k < s->inner; k++)
                if (where[k] >= 0) store_product(dx + where[k] * s->inner + k, s->scale, dy[k], true);
        } else if (s->inner == 1) {
            for (int64_t i = 0; i < s->count; i++) store_product(dx + i, s->scale, dy[0], s->accumulate);
        } else {
            for (int64_t i = 0; i < s->count; i++)
                for (int64_t k = 0; k < s->inner; k++)
                    store_product(dx + i * s->inner + k, s->scale, dy[k], s->accumulate);
        }
    }
}

static void spread(cru_device *device, const cru_spread_args *args)
{
    cru_spread_args s = *args;
    cpu_loop loop = {s.outer, cpu_grain(CPU_GRAIN_CHEAP, s.count * s.inner), spread_range, &s};
    cpu_for(device, &loop);
}

#endif
