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

/* y[ids[e], first ...] += w[e] * x for the entries of one row and `vectors` whole vectors, a constant in every call. */
INLINE void scatter_vectors(const scatter_task *t, int64_t row, int64_t first, int vectors, float *y)
{
    const cru_spmm_transposed_args *s = t->s;
    const float *x = s->x + row * s->cols + first;
    vec part[8];
    for (int k = 0; k < vectors; k++) part[k] = load(x + k * LANES);
    for (int64_t e = s->a.offsets[row]; e < s->a.offsets[row + 1]; e++) {
        float *to = y + s->a.ids[e] * s->cols + first;
        const float weight = t->weights ? t->weights[e] : 1.0f;
        for (int k = 0; k < vectors; k++) store(to + k * LANES, load(to + k * LANES) + weight * part[k]);
    }
}

/* The last cols % LANES columns. */
INLINE void scatter_tail(const scatter_task *t, int64_t row, int64_t first, float *y)
{
    const cru_spmm_transposed_args *s = t->s;
    const float *x = s->x + row * s->cols;
    for (int64_t e = s->a.offsets[row]; e < s->a.offsets[row + 1]; e++) {
        float *to = y + s->a.ids[e] * s->cols;
        const float weight = t->weights ? t->weights[e] : 1.0f;
        for (int64_t j = first; j < s->cols; j++) to[j] += weight * x[j];
    }
}

static void scatter_row(const scatter_task *t, int64_t row, float *y)
{
    const int64_t cols = t->s->cols;
    int64_t at = 0;
    for (; at + 8 * LANES <= cols; at += 8 * LANES) scatter_vectors(t, row, at, 8, y);
    if (at + 4 * LANES <= cols) scatter_vectors(t, row, at, 4, y), at += 4 * LANES;
    if (at + 2 * LANES <= cols) scatter_vectors(t, row, at, 2, y), at += 2 * LANES;
    if (at + LANES <= cols) scatter_vectors(t, row, at, 1, y), at += LANES;
    if (at < cols) scatter_tail(t, row, at, y);
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
    for (int64_t row = begin; row < end; row++) scatter_row(t, row, y);
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
    if (t.blocks > MOST_BLOCKS) t.blocks = MOST_BLOCKS;
    if (t.blocks < 1) t.blocks = 1;
    t.partial = cpu_scratch(device, CPU_SCRATCH_SPMM, sizeof(float) * (size_t)(t.blocks * size));
    cpu_each(device, &(cpu_jobs){t.blocks, true, scatter_block, &t});
    cpu_for(device, &(cpu_loop){size, CPU_GRAIN_CHEAP, scatter_total, &t});
}

#endif
