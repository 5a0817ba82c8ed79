// SPDX-License-Identifier: Apache-2.0
/* Kernels that only move data: rectangles, permutations, gathers. */
#include <string.h>

#include "cpu.h"

static void copy_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_copy_args *c = task;
    for (int64_t i = begin; i < end; i++) {
        const float *x = c->x + i * c->ldx;
        float *y = c->y + i * c->ldy;
        if (c->accumulate)
            for (int64_t j = 0; j < c->cols; j++) y[j] += c->scale * x[j];
        else if (c->scale == 1.0f)
            memcpy(y, x, sizeof(float) * (size_t)c->cols);
        else
            for (int64_t j = 0; j < c->cols; j++) y[j] = c->scale * x[j];
    }
}

void cpu_copy(cru_device *device, const cru_copy_args *args)
{
    if (args->cols <= 0) return;
    cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_CHEAP, args->cols), copy_rows, args});
}

/* y: rows x cols from x with the given strides. Squares keep both sides in the first cache when x runs across. */
typedef struct plane {
    int64_t rows, cols, row, col; /* of y; strides of x */
    const float *x;
    float *y;
    bool accumulate;
} plane;

static void permute_plane(const plane *p)
{
    enum { SQUARE = 32 };
    const int64_t step = p->col == 1 ? p->cols : SQUARE;
    for (int64_t i0 = 0; i0 < p->rows; i0 += SQUARE)
        for (int64_t j0 = 0; j0 < p->cols; j0 += step) {
            const int64_t i1 = i0 + SQUARE < p->rows ? i0 + SQUARE : p->rows;
            const int64_t j1 = j0 + step < p->cols ? j0 + step : p->cols;
            for (int64_t i = i0; i < i1; i++)
                for (int64_t j = j0; j < j1; j++)
                    cpu_store(p->y + i * p->cols + j, p->x[i * p->row + j * p->col], p->accumulate);
        }
}

typedef struct permute_task {
    const cru_permute_args *p;
    int64_t dim[4], stride[4]; /* of y's axes: lengths, strides in x */
    int64_t band;              /* rows of axis 2 done together */
    int64_t bands;             /* per plane */
} permute_task;

/* Item: a band of rows of the last two axes. */
static void permute_bands(const void *task, int64_t begin, int64_t end)
{
    const permute_task *t = task;
    for (int64_t item = begin; item < end; item++) {
        const int64_t at = item / t->bands, first = (item - at * t->bands) * t->band;
        const int64_t a = at / t->dim[1], b = at % t->dim[1];
        const plane p = {
            .rows = t->dim[2] - first < t->band ? t->dim[2] - first : t->band,
            .cols = t->dim[3],
            .row = t->stride[2],
            .col = t->stride[3],
            .x = t->p->x + a * t->stride[0] + b * t->stride[1] + first * t->stride[2],
            .y = t->p->y + (at * t->dim[2] + first) * t->dim[3],
            .accumulate = t->p->accumulate,
        };
        permute_plane(&p);
    }
}

void cpu_permute(cru_device *device, const cru_permute_args *args)
{
    const int64_t *dim = args->dim;
    const int64_t stride[4] = {dim[1] * dim[2] * dim[3], dim[2] * dim[3], dim[3], 1};
    permute_task t = {.p = args, .band = 64};
    for (int i = 0; i < 4; i++) {
        t.dim[i] = dim[args->order[i]];
        t.stride[i] = stride[args->order[i]];
        if (t.dim[i] <= 0) return;
    }
    t.bands = (t.dim[2] + t.band - 1) / t.band;
    const int64_t rows = t.dim[2] < t.band ? t.dim[2] : t.band;
    cpu_loop loop = {t.dim[0] * t.dim[1] * t.bands, cpu_grain(CPU_GRAIN_CHEAP, rows * t.dim[3]), permute_bands, &t};
    cpu_for(device, &loop);
}

static void gather_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_gather_args *g = task;
    for (int64_t i = begin; i < end; i++) {
        const float *x = g->x + g->ids[i] * g->cols;
        float *y = g->y + i * g->cols;
        if (g->accumulate)
            for (int64_t j = 0; j < g->cols; j++) y[j] += x[j];
        else
            memcpy(y, x, sizeof(float) * (size_t)g->cols);
    }
}

void cpu_gather(cru_device *device, const cru_gather_args *args)
{
    if (args->cols <= 0) return;
    cpu_for(device, &(cpu_loop){args->count, cpu_grain(CPU_GRAIN_CHEAP, args->cols), gather_rows, args});
}
