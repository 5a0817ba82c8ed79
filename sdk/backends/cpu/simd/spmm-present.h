// SPDX-License-Identifier: Apache-2.0
/* Sums that leave out neighbours whose rows are all zeros. The gradient of a loss over some of the nodes is made of
 * such rows; knowing them costs one pass over x, reading them as often as they have neighbours costs far more. A zero
 * counts as zero whatever its weight. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_PRESENT_H
#define CRUCIBLE_CPU_SIMD_SPMM_PRESENT_H

#include "spmm-sum.h"

/* One bit per row of x, set when the row has a value other than zero. */
typedef struct row_search {
    const float *x;
    int64_t rows, cols;
    uint64_t *found;
} row_search;

INLINE bool row_is_zero(const row_search *s, int64_t row)
{
    const float *x = s->x + row * s->cols;
    for (int64_t i = 0; i < s->cols; i += LANES) {
        const vec value = load_strip(x + i, strip_at(i, s->cols));
        if (any_nonzero(value)) return false;
    }
    return true;
}

/* Words of 64 rows. */
static void search_words(const void *task, int64_t begin, int64_t end)
{
    const row_search *s = task;
    for (int64_t word = begin; word < end; word++) {
        const int64_t first = 64 * word, rows = s->rows - first < 64 ? s->rows - first : 64;
        uint64_t found = 0;
        for (int64_t i = 0; i < rows; i++) found |= (uint64_t)!row_is_zero(s, first + i) << i;
        s->found[word] = found;
    }
}

/* Whether a quarter of x is zero rows, judged by a few of them, scattered so that no regular pattern fools it. */
static bool has_many_zero_rows(const row_search *s)
{
    enum { SAMPLES = 64 };
    int zeros = 0;
    for (uint64_t i = 1; i <= SAMPLES; i++)
        zeros += row_is_zero(s, (int64_t)((i * 0x9E3779B97F4A7C15u >> 32) % (uint64_t)s->rows));
    return zeros >= SAMPLES / 4;
}

/* For one head. NULL when looking for them does not pay. */
static const uint64_t *find_present_rows(cru_device *device, const cru_spmm_args *args)
{
    row_search s = {.x = args->x, .rows = args->a.cols, .cols = args->cols};
    if (args->op != CRU_REDUCE_SUM || s.rows == 0 || !has_many_zero_rows(&s)) return NULL;
    const int64_t words = (s.rows + 63) / 64;
    s.found = cpu_scratch(device, CPU_SCRATCH_SPMM, sizeof *s.found * (size_t)words);
    cpu_for(device, &(cpu_loop){words, cpu_grain(CPU_GRAIN_CHEAP, 64 * s.cols), search_words, &s});
    return s.found;
}

/* Some rows of the matrix without the entries of zero rows. */
enum { PRESENT_ROWS = 256, PRESENT_ENTRIES = 4096 };
typedef struct present_part {
    int64_t rows, offsets[PRESENT_ROWS + 1];
    int32_t ids[PRESENT_ENTRIES];
    float weights[PRESENT_ENTRIES];
} present_part;

INLINE void add_present_row(present_part *part, const spmm_task *t, int64_t row)
{
    const cru_csr *a = &t->s->a;
    int64_t n = part->offsets[part->rows];
    for (int64_t e = a->offsets[row]; e < a->offsets[row + 1]; e++) {
        const int32_t id = a->ids[e];
        part->ids[n] = id;
        part->weights[n] = *weights_of(t, e);
        n += (int64_t)(t->present[id / 64] >> (id % 64) & 1);
    }
    part->offsets[++part->rows] = n;
}

static void sum_part(const spmm_task *t, const present_part *part, int64_t first)
{
    cru_spmm_args args = *t->s;
    args.a = (cru_csr){part->rows, t->s->a.cols, part->offsets, part->ids, part->weights};
    args.order = NULL;
    const spmm_task task = {.s = &args,
                            .y = t->y + (first - t->first) * t->stride,
                            .weights = part->weights,
                            .step = 1,
                            .stride = t->stride,
                            .entries = part->offsets[part->rows]};
    sum_rows_far(&task, 0, part->rows);
}

/* Rows begin .. end. Those with more entries than a part holds are summed whole. */
static void sum_present(const spmm_task *t, int64_t begin, int64_t end)
{
    const int64_t *offsets = t->s->a.offsets;
    present_part part;
    for (int64_t row = begin; row < end;) {
        const int64_t first = row;
        part.rows = part.offsets[0] = 0;
        while (row < end && part.rows < PRESENT_ROWS &&
               part.offsets[part.rows] + offsets[row + 1] - offsets[row] <= PRESENT_ENTRIES)
            add_present_row(&part, t, row++);
        if (part.rows > 0)
            sum_part(t, &part, first);
        else
            sum_rows_far(t, row, row + 1), row++;
    }
}

#endif
