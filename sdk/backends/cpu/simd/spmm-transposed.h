// SPDX-License-Identifier: Apache-2.0
/* The transpose of a sparse matrix times a dense one, without making the transpose: a row of x, held in registers, is
 * added to the rows of y that its entries name. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_TRANSPOSED_H
#define CRUCIBLE_CPU_SIMD_SPMM_TRANSPOSED_H

#include "../cpu.h"
#include "vector.h"

typedef struct scatter_task {
    const cru_spmm_transposed_args *s;
    const float *weights; /* of the entries, or NULL: 1 */
    int64_t blocks;       /* of rows of `a`, with a y of its own each; their number depends on the shape only */
    float *partial;       /* blocks x (a.cols * cols) */
} scatter_task;

/* Entries of a row from `from` on, before `to` and before the first id that is not below `limit`. */
typedef struct entry_run {
    int64_t row, from, to;
    int32_t limit;
} entry_run;

/* y[ids[e], first ...] += w[e] * x for a run and `vectors` whole vectors, a constant in every call. Returns where the
 * run ended. */
INLINE int64_t scatter_vectors(const scatter_task *t, const entry_run *r, int64_t first, int vectors, float *y)
{
    const cru_spmm_transposed_args *s = t->s;
    const int32_t *ids = s->a.ids;
    const float *x = s->x + r->row * s->cols + first;
    vec part[8];
    for (int k = 0; k < vectors; k++) part[k] = load(x + k * LANES);
    int64_t e = r->from;
    for (; e < r->to && ids[e] < r->limit; e++) {
        float *to = y + ids[e] * s->cols + first;
        const float weight = t->weights ? t->weights[e] : 1.0f;
        for (int k = 0; k < vectors; k++)
            store(to + k * LANES, vec_fused(splat(weight), part[k], load(to + k * LANES)));
    }
    return e;
}

/* The last cols % LANES columns. */
INLINE int64_t scatter_tail(const scatter_task *t, const entry_run *r, int64_t first, float *y)
{
    const cru_spmm_transposed_args *s = t->s;
    const float *x = s->x + r->row * s->cols;
    int64_t e = r->from;
    for (; e < r->to && s->a.ids[e] < r->limit; e++) {
        float *to = y + s->a.ids[e] * s->cols;
        const float weight = t->weights ? t->weights[e] : 1.0f;
        for (int64_t j = first; j < s->cols; j++) to[j] = fused(weight, x[j], to[j]);
    }
    return e;
}

static int64_t scatter_run(const scatter_task *t, entry_run r, float *y)
{
    const int64_t cols = t->s->cols;
    int64_t at = 0;
    for (; at + 8 * LANES <= cols; at += 8 * LANES) r.to = scatter_vectors(t, &r, at, 8, y);
    if (at + 4 * LANES <= cols) r.to = scatter_vectors(t, &r, at, 4, y), at += 4 * LANES;
    if (at + 2 * LANES <= cols) r.to = scatter_vectors(t, &r, at, 2, y), at += 2 * LANES;
    if (at + LANES <= cols) r.to = scatter_vectors(t, &r, at, 1, y), at += LANES;
    if (at < cols) r.to = scatter_tail(t, &r, at, y);
    return r.to;
}

/* Rows of y that are worked on together: as many as fit into the first cache, when that leaves each row of `a` some
 * entries among them; else all. */
INLINE int64_t rows_in_tile(const cru_spmm_transposed_args *s)
{
    enum { FIRST_CACHE = 6144, FEW = 16 };
    const int64_t span = FIRST_CACHE / s->cols;
    const double entries = (double)cru_csr_nnz(&s->a) / (double)s->a.rows * (double)span / (double)s->a.cols;
    return span > 0 && entries >= FEW ? span : s->a.cols;
}

/* Rows begin .. end of `a`, in batches: for each tile of y, the entries of the batch that belong to it. The last tile
 * takes all that is left, so ids need not ascend for the sum to be right. */
static void scatter_rows(const scatter_task *t, int64_t begin, int64_t end, float *y)
{
    enum { BATCH = 64 };
    const cru_csr *a = &t->s->a;
    const int64_t span = begin < end ? rows_in_tile(t->s) : 1;
    int64_t at[BATCH];
    for (int64_t first = begin; first < end; first += BATCH) {
        const int64_t rows = end - first < BATCH ? end - first : BATCH;
        for (int64_t r = 0; r < rows; r++) at[r] = a->offsets[first + r];
        for (int64_t limit = span; limit - span < a->cols; limit += span)
            for (int64_t r = 0; r < rows; r++) {
                const int64_t row = first + r, below = limit < a->cols ? limit : INT32_MAX;
                at[r] = scatter_run(t, (entry_run){row, at[r], a->offsets[row + 1], (int32_t)below}, y);
            }
    }
}

/* The first row that starts at entry `entry` or later. */
INLINE int64_t row_from_entry(const cru_csr *a, int64_t entry)
{
    int64_t low = 0, high = a->rows;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (a->offsets[middle] < entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void scatter_block(const void *task, int64_t block, int32_t thread)
{
    (void)thread;
    const scatter_task *t = task;
    const cru_csr *a = &t->s->a;
    const int64_t nnz = cru_csr_nnz(a), size = a->cols * t->s->cols;
    const int64_t begin = row_from_entry(a, nnz * block / t->blocks);
    const int64_t end = block + 1 < t->blocks ? row_from_entry(a, nnz * (block + 1) / t->blocks) : a->rows;
    float *y = t->partial + block * size;
    memset(y, 0, sizeof(float) * (size_t)size);
    scatter_rows(t, begin, end, y);
}

static void scatter_total(const void *task, int64_t begin, int64_t end)
{
    const scatter_task *t = task;
    const int64_t size = t->s->a.cols * t->s->cols;
    float *y = t->s->y;
    if (!t->s->accumulate) memset(y + begin, 0, sizeof(float) * (size_t)(end - begin));
    for (int64_t b = 0; b < t->blocks; b++)
        for (int64_t i = begin; i < end; i++) y[i] += t->partial[b * size + i];
}

static void spmm_transposed(cru_device *device, const cru_spmm_transposed_args *args)
{
    enum { MOST_BLOCKS = 8, WORK = 1 << 20 };
    const int64_t size = args->a.cols * args->cols, work = cru_csr_nnz(&args->a) * args->cols;
    if (size <= 0) return;
    scatter_task t = {.s = args, .weights = args->weights ? args->weights : args->a.values, .blocks = work / WORK};
    if (t.blocks > work / (4 * size)) t.blocks = work / (4 * size);
    if (t.blocks > MOST_BLOCKS) t.blocks = MOST_BLOCKS;
    if (t.blocks < 1) t.blocks = 1;
    t.partial = cpu_scratch(device, CPU_SCRATCH_SPMM, sizeof(float) * (size_t)(t.blocks * size));
    cpu_each(device, &(cpu_jobs){t.blocks, true, scatter_block, &t});
    cpu_for(device, &(cpu_loop){size, CPU_GRAIN_CHEAP, scatter_total, &t});
}

#endif
