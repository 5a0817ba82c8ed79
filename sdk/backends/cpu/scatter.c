// SPDX-License-Identifier: Apache-2.0
/* Scatter: many source rows to fewer destination rows. The sources are first sorted by destination (counting sort,
 * stable), then every destination is computed by one thread in ascending order of its sources. */
#include <string.h>

#include "cpu.h"

typedef struct scatter_task {
    const cru_scatter_args *s;
    const int64_t *offsets; /* rows + 1 */
    const int64_t *sources; /* count, grouped by destination */
} scatter_task;

/* Offsets of the groups, then the sources: 2 arrays in one buffer. */
static int64_t *group(cru_device *device, const int32_t *ids, int64_t count, int64_t rows)
{
    int64_t *offsets = cpu_scratch(device, CPU_SCRATCH_SORT, sizeof(int64_t) * (size_t)(rows + 2 + count));
    int64_t *sources = offsets + rows + 2;
    memset(offsets, 0, sizeof(int64_t) * (size_t)(rows + 2));
    /* Shifted by two: after the second pass offsets[v] has moved from the start of group v - 1 to that of v. */
    for (int64_t i = 0; i < count; i++) offsets[ids[i] + 2]++;
    for (int64_t v = 0; v < rows; v++) offsets[v + 2] += offsets[v + 1];
    for (int64_t i = 0; i < count; i++) sources[offsets[ids[i] + 1]++] = i;
    return offsets;
}

static void sum_row(const scatter_task *t, int64_t v)
{
    enum { STRIP = 32 };
    const cru_scatter_args *s = t->s;
    const int64_t begin = t->offsets[v], end = t->offsets[v + 1];
    const float scale = s->op == CRU_REDUCE_MEAN && end > begin ? 1.0f / (float)(end - begin) : 1.0f;
    for (int64_t first = 0; first < s->cols; first += STRIP) {
        const int64_t width = s->cols - first < STRIP ? s->cols - first : STRIP;
        float *y = s->y + v * s->cols + first;
        double sum[STRIP] = {0};
        for (int64_t e = begin; e < end; e++) {
            const float *x = s->x + t->sources[e] * s->cols + first;
            for (int64_t j = 0; j < width; j++) sum[j] += (double)x[j];
        }
        for (int64_t j = 0; j < width; j++) cpu_store(y + j, (float)sum[j] * scale, s->accumulate);
    }
}

static void extreme_row(const scatter_task *t, int64_t v)
{
    const cru_scatter_args *s = t->s;
    for (int64_t j = 0; j < s->cols; j++) {
        float best = 0;
        int64_t where = -1;
        for (int64_t e = t->offsets[v]; e < t->offsets[v + 1]; e++) {
            const float value = s->x[t->sources[e] * s->cols + j];
            if (where < 0 || (s->op == CRU_REDUCE_MIN ? value < best : value > best))
                best = value, where = t->sources[e];
        }
        cpu_store(s->y + v * s->cols + j, best, s->accumulate);
        if (s->where) s->where[v * s->cols + j] = (int32_t)where;
    }
}

static void scatter_rows(const void *task, int64_t begin, int64_t end)
{
    const scatter_task *t = task;
    const bool sum = t->s->op == CRU_REDUCE_SUM || t->s->op == CRU_REDUCE_MEAN;
    for (int64_t v = begin; v < end; v++) {
        if (sum)
            sum_row(t, v);
        else
            extreme_row(t, v);
    }
}

void cpu_scatter(cru_device *device, const cru_scatter_args *args)
{
    if (args->rows <= 0 || args->cols <= 0) return;
    const int64_t *offsets = group(device, args->ids, args->count, args->rows);
    scatter_task t = {args, offsets, offsets + args->rows + 2};
    const cru_csr groups = {.rows = args->rows, .offsets = offsets};
    cpu_for_rows(device, &(cpu_row_loop){&groups, args->cols, scatter_rows, &t});
}

typedef struct scatter_grad_task {
    const cru_scatter_grad_args *s;
    const int64_t *counts; /* contributions per destination; mean only */
} scatter_grad_task;

static void scatter_grad_rows(const void *task, int64_t begin, int64_t end)
{
    const scatter_grad_task *t = task;
    const cru_scatter_grad_args *s = t->s;
    const bool sum = s->op == CRU_REDUCE_SUM || s->op == CRU_REDUCE_MEAN;
    for (int64_t i = begin; i < end; i++) {
        const int64_t at = s->ids[i] * s->cols;
        const float scale = t->counts ? 1.0f / (float)t->counts[s->ids[i]] : 1.0f;
        float *dx = s->dx + i * s->cols;
        for (int64_t j = 0; j < s->cols; j++) {
            const float value = sum || s->where[at + j] == i ? s->dy[at + j] * scale : 0.0f;
            cpu_store(dx + j, value, s->accumulate);
        }
    }
}

void cpu_scatter_grad(cru_device *device, const cru_scatter_grad_args *args)
{
    scatter_grad_task t = {.s = args};
    if (args->cols <= 0) return;
    if (args->op == CRU_REDUCE_MEAN) {
        int64_t *counts = cpu_scratch(device, CPU_SCRATCH_SORT, sizeof(int64_t) * (size_t)args->rows);
        memset(counts, 0, sizeof(int64_t) * (size_t)args->rows);
        for (int64_t i = 0; i < args->count; i++) counts[args->ids[i]]++;
        t.counts = counts;
    }
    cpu_for(device, &(cpu_loop){args->count, cpu_grain(CPU_GRAIN_CHEAP, args->cols), scatter_grad_rows, &t});
}
