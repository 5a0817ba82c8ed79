// SPDX-License-Identifier: Apache-2.0
/* Sparse times dense: weighted sums, means and extremes of neighbours' rows. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_H
#define CRUCIBLE_CPU_SIMD_SPMM_H

#include "../cpu.h"
#include "finish.h"
#include "spmm-present.h"
#include "spmm-sum.h"
#include "stream.h"
#include "vector.h"

/* Rows are summed, finished and, when the result is large, streamed in bands that stay in the first cache. */
static void spmm_sum_rows(const void *task, int64_t begin, int64_t end)
{
    const spmm_task *t = task;
    const cru_spmm_args *s = t->s;
    sum_function *near = t->stride <= LANES ? sum_rows_slim : sum_rows_near;
    sum_function *sum = t->present ? sum_present : t->head ? sum_rows_heads : t->near ? near : sum_rows_far;
    const int64_t band = s->finish || t->streams ? rows_in_band(t->stride) : end - begin;
    float rows[BAND_FLOATS];
    spmm_task some = *t;
    for (some.first = begin; some.first < end; some.first += band) {
        const int64_t last = end - some.first < band ? end : some.first + band, count = last - some.first;
        float *y = s->y + some.first * t->stride;
        some.y = t->streams ? rows : y;
        sum(&some, some.first, last);
        if (s->finish) finish_band(s->finish, some.y, some.first, count, t->stride);
        if (t->streams) stream(y, rows, count * t->stride);
    }
    if (t->streams) stream_end();
}

/* The largest (smallest) weighted neighbour of up to LANES columns of a head, from column `first` on, and the entry it
 * came from. The first entry is taken as it is, later ones when they are better: NaN stays only at the front. */
INLINE void extreme_strip(const spmm_task *t, int64_t v, int64_t head, int64_t first, bool least)
{
    const cru_spmm_args *s = t->s;
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], left = s->cols - first;
    const int64_t column = head * s->cols + first, weight = t->step ? head : 0;
    const strip at = strip_at(first, s->cols);
    vec best = {0};
    vec_int where = (vec_int){0} - 1;
    for (int64_t e = begin; e < end; e++) {
        const vec value = weights_of(t, e)[weight] * load_strip(s->x + s->a.ids[e] * t->stride + column, at);
        const vec_int better = e == begin ? (vec_int){0} - 1 : least ? value < best : value > best;
        best = choose(better, value, best);
        where = choose_int(better, (vec_int){0} + (int32_t)e, where);
    }
    float *y = s->y + v * t->stride + column;
    store_strip(y, s->accumulate ? load_strip(y, at) + best : best, at);
    if (s->where) memcpy(s->where + v * t->stride + column, &where, 4 * (size_t)(left < LANES ? left : LANES));
}

INLINE void extreme_row(const spmm_task *t, int64_t v, bool least)
{
    for (int64_t head = 0; head < t->s->heads; head++)
        for (int64_t first = 0; first < t->s->cols; first += LANES) extreme_strip(t, v, head, first, least);
}

static void spmm_extreme_rows(const void *task, int64_t begin, int64_t end)
{
    const spmm_task *t = task;
    for (int64_t v = begin; v < end; v++) {
        if (t->s->op == CRU_REDUCE_MIN)
            extreme_row(t, v, true);
        else
            extreme_row(t, v, false);
    }
}

/* What spmm_task.head holds; vectors at the end of a row may look beyond it. */
static const int32_t *heads_of_floats(cru_device *device, const cru_spmm_args *args)
{
    const int64_t stride = args->heads * args->cols;
    int32_t *head = cpu_scratch(device, CPU_SCRATCH_SPMM, sizeof *head * (size_t)(stride + LANES));
    for (int64_t i = 0; i < stride; i++) head[i] = (int32_t)(i / args->cols % LANES);
    memset(head + stride, 0, sizeof *head * LANES);
    return head;
}

static void spmm(cru_device *device, const cru_spmm_args *args)
{
    enum { SECOND_CACHE = 64 * 1024 }; /* floats that fit into a second-level cache */
    spmm_task t = {.s = args, .weights = &one, .stride = args->heads * args->cols, .entries = cru_csr_nnz(&args->a)};
    if (args->weights) {
        t.weights = args->weights;
        t.step = args->heads;
        if (args->heads > 1) t.head = heads_of_floats(device, args);
    } else if (args->a.values) {
        t.weights = args->a.values;
        t.step = 1;
    }
    cpu_range *run = spmm_extreme_rows;
    if (args->op == CRU_REDUCE_SUM || args->op == CRU_REDUCE_MEAN) {
        const bool fits = args->a.cols * t.stride <= SECOND_CACHE;
        run = spmm_sum_rows;
        t.near = fits && !args->order;
        t.streams = args->a.rows * t.stride >= STREAM_FROM && t.stride <= BAND_FLOATS && !args->accumulate;
        if (!fits && args->heads == 1) t.present = find_present_rows(device, args);
    }
    cpu_for_rows(device, &(cpu_row_loop){&args->a, t.stride, run, &t});
}

#endif
