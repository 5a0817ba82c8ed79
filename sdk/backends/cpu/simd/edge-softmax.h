/* Softmax over the entries of each row of a graph, per head.
 *
 * Rows are short, so the exponentials are not taken row by row: rows are gathered into tiles whose entries are
 * contiguous in memory, the maximum of each row is subtracted, one long loop takes the exponentials of the whole tile,
 * and a last pass divides each row by its sum. */
#ifndef CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H

#include "../cpu.h"
#include "elementary.h"

enum { HEAD_STRIP = 16, SOFTMAX_TILE = 4096 };

/* The end of the tile that starts at row v: about SOFTMAX_TILE values, at least one row. */
INLINE int64_t tile_end(const cru_csr *a, int64_t v, int64_t end, int64_t heads)
{
    const int64_t limit = a->offsets[v] + SOFTMAX_TILE / heads;
    for (v++; v < end && a->offsets[v + 1] <= limit; v++) {
    }
    return v;
}

/* y = x - max of the row, for heads first .. first + width */
INLINE void subtract_max(const cru_edge_softmax_args *s, int64_t v, int64_t first, int64_t width)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], heads = s->heads;
    float max[HEAD_STRIP];
    for (int64_t h = 0; h < width; h++) max[h] = -INFINITY;
    for (int64_t e = begin; e < end; e++)
        for (int64_t h = 0; h < width; h++) {
            const float value = s->x[e * heads + first + h];
            max[h] = value > max[h] ? value : max[h];
        }
    for (int64_t e = begin; e < end; e++)
        for (int64_t h = 0; h < width; h++) s->y[e * heads + first + h] = s->x[e * heads + first + h] - max[h];
}

INLINE void divide_by_sum(const cru_edge_softmax_args *s, int64_t v, int64_t first, int64_t width)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], heads = s->heads;
    float sum[HEAD_STRIP] = {0};
    for (int64_t e = begin; e < end; e++)
        for (int64_t h = 0; h < width; h++) sum[h] += s->y[e * heads + first + h];
    for (int64_t h = 0; h < width; h++) sum[h] = 1.0f / sum[h];
    for (int64_t e = begin; e < end; e++)
        for (int64_t h = 0; h < width; h++) s->y[e * heads + first + h] *= sum[h];
}

static void edge_softmax_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_softmax_args *s = task;
    for (int64_t start = begin, next; start < end; start = next) {
        next = tile_end(&s->a, start, end, s->heads);
        for (int64_t v = start; v < next; v++)
            for (int64_t h = 0; h < s->heads; h += HEAD_STRIP)
                subtract_max(s, v, h, s->heads - h < HEAD_STRIP ? s->heads - h : HEAD_STRIP);
        float *y = s->y;
        const int64_t last = s->a.offsets[next] * s->heads;
#pragma omp simd
        for (int64_t i = s->a.offsets[start] * s->heads; i < last; i++) y[i] = fast_exp(y[i]);
        for (int64_t v = start; v < next; v++)
            for (int64_t h = 0; h < s->heads; h += HEAD_STRIP)
                divide_by_sum(s, v, h, s->heads - h < HEAD_STRIP ? s->heads - h : HEAD_STRIP);
    }
}

static void edge_softmax(cru_device *device, const cru_edge_softmax_args *args)
{
    if (args->heads <= 0) return;
    cpu_for_rows(device, &(cpu_row_loop){&args->a, 4 * args->heads, edge_softmax_rows, args});
}

/* dx = y (dy - sum over the row of y dy) */
static void edge_softmax_grad_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_softmax_grad_args *s = task;
    const int64_t heads = s->heads;
    for (int64_t v = begin; v < end; v++)
        for (int64_t first = 0; first < heads; first += HEAD_STRIP) {
            const int64_t width = heads - first < HEAD_STRIP ? heads - first : HEAD_STRIP;
            float sum[HEAD_STRIP] = {0};
            for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++)
                for (int64_t h = 0; h < width; h++)
                    sum[h] += s->y[e * heads + first + h] * s->dy[e * heads + first + h];
            for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++)
                for (int64_t h = 0; h < width; h++) {
                    const int64_t at = e * heads + first + h;
                    cpu_store(s->dx + at, s->y[at] * (s->dy[at] - sum[h]), s->accumulate);
                }
        }
}

static void edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args)
{
    cpu_for_rows(device, &(cpu_row_loop){&args->a, 2 * args->heads, edge_softmax_grad_rows, args});
}

#endif
