// SPDX-License-Identifier: Apache-2.0
/* The k largest or smallest of every row: a few by a heap of the best so far, which most columns never enter; many by
 * sorting the row, digit by digit. */
#include <math.h>
#include <string.h>

#include "cpu.h"

typedef struct heap {
    const float *x; /* the row */
    int32_t *ids;   /* the best so far, the worst of them on top */
    int64_t count;
    bool smallest;
} heap;

/* Whether column a comes before column b in the result. NaN ranks as the largest value, as in PyTorch. */
static bool before(const heap *h, int32_t a, int32_t b)
{
    float x = h->x[a], y = h->x[b];
    bool less = x < y || (isnan(y) && !isnan(x)), more = x > y || (isnan(x) && !isnan(y));
    if (less || more) return h->smallest ? less : more;
    return a < b;
}

static void sink(const heap *h, int64_t at)
{
    for (;;) {
        int64_t worst = 2 * at + 1;
        if (worst >= h->count) return;
        if (worst + 1 < h->count && before(h, h->ids[worst], h->ids[worst + 1])) worst++;
        if (!before(h, h->ids[at], h->ids[worst])) return;
        int32_t moved = h->ids[at];
        h->ids[at] = h->ids[worst];
        h->ids[worst] = moved;
        at = worst;
    }
}

enum { BLOCK = 16 };

/* Whether one of a block of columns could come before the worst of the best; a NaN on either side always could. */
static bool may_enter(const heap *h, int64_t first)
{
    const float *x = h->x + first, worst = h->x[h->ids[0]];
    int32_t found = 0;
    if (h->smallest) {
#pragma omp simd reduction(| : found)
        for (int k = 0; k < BLOCK; k++) found |= !(x[k] >= worst);
    } else {
#pragma omp simd reduction(| : found)
        for (int k = 0; k < BLOCK; k++) found |= !(x[k] <= worst);
    }
    return found;
}

static void enter(const heap *h, int64_t from, int64_t to)
{
    for (int64_t i = from; i < to; i++)
        if (before(h, (int32_t)i, h->ids[0])) {
            h->ids[0] = (int32_t)i;
            sink(h, 0);
        }
}

/* Leaves the k best columns in `ids`, in order. */
static void select_row(heap *h, int64_t cols, int64_t k)
{
    h->count = k;
    for (int64_t j = 0; j < k; j++) h->ids[j] = (int32_t)j;
    for (int64_t j = k / 2 - 1; j >= 0; j--) sink(h, j);
    int64_t i = k;
    for (; i + BLOCK <= cols; i += BLOCK)
        if (may_enter(h, i)) enter(h, i, i + BLOCK);
    enter(h, i, cols);
    while (h->count > 1) {
        int32_t worst = h->ids[0];
        h->count--;
        h->ids[0] = h->ids[h->count];
        h->ids[h->count] = worst;
        sink(h, 0);
    }
}

static void write_values(const cru_topk_args *t, int64_t row)
{
    const float *x = t->x + row * t->cols;
    const int32_t *ids = t->ids + row * t->k;
    if (!t->values) return;
    for (int64_t i = 0; i < t->k; i++) t->values[row * t->k + i] = x[ids[i]];
}

static void topk_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_topk_args *t = task;
    for (int64_t row = begin; row < end; row++) {
        heap h = {.x = t->x + row * t->cols, .ids = t->ids + row * t->k, .smallest = t->smallest};
        select_row(&h, t->cols, t->k);
        write_values(t, row);
    }
}

/* ---- sorting whole rows ---------------------------------------------------------------------------------------- */

enum { DIGITS = 3, DIGIT_BITS = 11, DIGIT_VALUES = 1 << DIGIT_BITS };

typedef struct entry {
    uint32_t key;
    int32_t column;
} entry;

typedef struct sort_task {
    const cru_topk_args *t;
    int64_t rows; /* in a job */
    entry *space; /* two rows for every thread */
} sort_task;

/* Ascending keys in the order of the result. All zeros are equal, and NaN is larger than everything. */
static uint32_t key_of(float x, bool smallest)
{
    uint32_t bits;
    x = x == 0 ? 0.0f : x;
    memcpy(&bits, &x, sizeof bits);
    bits = isnan(x) ? UINT32_MAX : bits >> 31 ? ~bits : bits | 0x80000000u;
    return smallest ? bits : ~bits;
}

/* By the lowest digit first, keeping the order of equals: columns stay in order where values are equal. */
static void sort_row(const sort_task *s, int64_t row, entry *from)
{
    const cru_topk_args *t = s->t;
    const float *x = t->x + row * t->cols;
    int32_t start[DIGITS][DIGIT_VALUES] = {{0}};
    entry *to = from + t->cols;
    for (int64_t i = 0; i < t->cols; i++) {
        from[i] = (entry){key_of(x[i], t->smallest), (int32_t)i};
        for (int d = 0; d < DIGITS; d++) start[d][from[i].key >> (d * DIGIT_BITS) & (DIGIT_VALUES - 1)]++;
    }
    for (int d = 0; d < DIGITS; d++) {
        int32_t sum = 0;
        for (int v = 0; v < DIGIT_VALUES; v++) {
            const int32_t count = start[d][v];
            start[d][v] = sum;
            sum += count;
        }
        for (int64_t i = 0; i < t->cols; i++)
            to[start[d][from[i].key >> (d * DIGIT_BITS) & (DIGIT_VALUES - 1)]++] = from[i];
        entry *other = from;
        from = to;
        to = other;
    }
    for (int64_t i = 0; i < t->k; i++) t->ids[row * t->k + i] = from[i].column;
    write_values(t, row);
}

static void sort_rows(const void *task, int64_t job, int32_t thread)
{
    const sort_task *s = task;
    const int64_t begin = job * s->rows, end = begin + s->rows < s->t->rows ? begin + s->rows : s->t->rows;
    for (int64_t row = begin; row < end; row++) sort_row(s, row, s->space + 2 * s->t->cols * thread);
}

void cpu_topk(cru_device *device, const cru_topk_args *args)
{
    enum { SORT_FROM = 256 }; /* columns; counting the digits of fewer costs more than it saves */
    if (args->k <= 0) return;
    const int64_t grain = cpu_grain(CPU_GRAIN_MATH, args->cols);
    if (args->cols < SORT_FROM || args->k < args->cols / 8) {
        cpu_for(device, &(cpu_loop){args->rows, grain, topk_rows, args});
        return;
    }
    const size_t space = sizeof(entry) * 2 * (size_t)args->cols * (size_t)device->threads;
    sort_task s = {args, grain, cpu_scratch(device, CPU_SCRATCH_SORT, space)};
    cpu_each(device, &(cpu_jobs){(args->rows + grain - 1) / grain, true, sort_rows, &s});
}
