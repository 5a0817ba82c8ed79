// SPDX-License-Identifier: Apache-2.0
/* Elements of rows, and the gradient of a choice among neighbours. Every row is one item, so nothing is shared. */
#include <string.h>

#include "cpu.h"

static void take_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_take_args *t = task;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = i * t->k; j < (i + 1) * t->k; j++) t->y[j] = t->ids[j] < 0 ? 0 : t->x[i * t->cols + t->ids[j]];
}

void cpu_take(cru_device *device, const cru_take_args *args)
{
    cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_CHEAP, args->k), take_rows, args});
}

static void place_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_take_args *t = task;
    for (int64_t i = begin; i < end; i++)
        for (int64_t j = i * t->k; j < (i + 1) * t->k; j++)
            if (t->ids[j] >= 0) t->y[i * t->cols + t->ids[j]] += t->x[j];
}

void cpu_place(cru_device *device, const cru_take_args *args)
{
    cpu_for(device, &(cpu_loop){args->rows, cpu_grain(CPU_GRAIN_CHEAP, args->k), place_rows, args});
}

static void select_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_select_args *s = task;
    for (int64_t u = begin; u < end; u++) {
        float *dx = s->dx + u * s->cols;
        if (!s->accumulate) memset(dx, 0, (size_t)s->cols * sizeof *dx);
        for (int64_t e = s->a.offsets[u]; e < s->a.offsets[u + 1]; e++) {
            const int32_t *where = s->where + s->a.ids[e] * s->cols;
            const float *dy = s->dy + s->a.ids[e] * s->cols;
            for (int64_t c = 0; c < s->cols; c++) dx[c] += where[c] == s->order[e] ? dy[c] : 0;
        }
    }
}

void cpu_select(cru_device *device, const cru_select_args *args)
{
    cpu_for_rows(device, &(cpu_row_loop){&args->a, args->cols, select_rows, args});
}
