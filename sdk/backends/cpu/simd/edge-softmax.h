/* Softmax over the entries of each row of a graph, per head.
 *
 * Rows are short, so the exponentials are not taken row by row: rows are gathered into tiles whose entries are
 * contiguous in memory, the maximum of each row is subtracted, one long loop takes the exponentials of the whole tile,
 * and a last pass divides each row by its sum. */
#ifndef CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H

#include "../cpu.h"
#include "vector.h"

enum { SOFTMAX_TILE = 4096 };

/* The end of the tile that starts at row v: about SOFTMAX_TILE values, at least one row. */
INLINE int64_t tile_end(const cru_csr *a, int64_t v, int64_t end, int64_t heads)
{
    const int64_t limit = a->offsets[v] + SOFTMAX_TILE / heads;
    for (v++; v < end && a->offsets[v + 1] <= limit; v++) {
    }
    return v;
}

/* y = x - max of the row */
INLINE void subtract_max(const cru_edge_softmax_args *s, int64_t v, strip at)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], heads = s->heads;
    const float *x = s->x + at.first;
    vec max = (vec){0} - INFINITY;
    for (int64_t e = begin; e < end; e++) max = vec_max(max, load_strip(x + e * heads, at));
    for (int64_t e = begin; e < end; e++)
        store_strip(s->y + at.first + e * heads, load_strip(x + e * heads, at) - max, at);
}

INLINE void divide_by_sum(const cru_edge_softmax_args *s, int64_t v, strip at)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], heads = s->heads;
    float *y = s->y + at.first;
    vec sum = {0};
    for (int64_t e = begin; e < end; e++) sum += load_strip(y + e * heads, at);
    const vec scale = 1.0f / sum;
    for (int64_t e = begin; e < end; e++) store_strip(y + e * heads, load_strip(y + e * heads, at) * scale, at);
}

/* The same with one head: rows too short for vectors. */
INLINE void subtract_max_single(const cru_edge_softmax_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float max = -INFINITY;
    for (int64_t e = begin; e < end; e++) max = s->x[e] > max ? s->x[e] : max;
    for (int64_t e = begin; e < end; e++) s->y[e] = s->x[e] - max;
}

INLINE void divide_by_sum_single(const cru_edge_softmax_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float sum = 0;
    for (int64_t e = begin; e < end; e++) sum += s->y[e];
    const float scale = 1.0f / sum;
    for (int64_t e = begin; e < end; e++) s->y[e] *= scale;
}

INLINE void softmax_rows_of_tile(const cru_edge_softmax_args *s, int64_t start, int64_t next)
{
    const int64_t heads = s->heads, last = s->a.offsets[next] * heads;
    float *y = s->y;
    for (int64_t v = start; v < next; v++) {
        if (heads == 1)
            subtract_max_single(s, v);
        else
            for (int64_t h = 0; h < heads; h += LANES) subtract_max(s, v, strip_at(h, heads));
    }
#pragma omp simd
    for (int64_t i = s->a.offsets[start] * heads; i < last; i++) y[i] = fast_exp(y[i]);
    for (int64_t v = start; v < next; v++) {
        if (heads == 1)
            divide_by_sum_single(s, v);
        else
            for (int64_t h = 0; h < heads; h += LANES) divide_by_sum(s, v, strip_at(h, heads));
    }
}

static void edge_softmax_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_softmax_args *s = task;
    for (int64_t start = begin, next; start < end; start = next) {
        next = tile_end(&s->a, start, end, s->heads);
        softmax_rows_of_tile(s, start, next);
    }
}

static void edge_softmax(cru_device *device, const cru_edge_softmax_args *args)
{
    if (args->heads <= 0) return;
    cpu_for_rows(device, &(cpu_row_loop){&args->a, 4 * args->heads, edge_softmax_rows, args});
}

/* dx = y (dy - sum over the row of y dy) */
INLINE void softmax_grad_strip(const cru_edge_softmax_grad_args *s, int64_t v, strip at)
{
    const int64_t begin = s->a.offsets[v] * s->heads + at.first, end = s->a.offsets[v + 1] * s->heads;
    vec sum = {0};
    for (int64_t i = begin; i < end; i += s->heads) sum += load_strip(s->y + i, at) * load_strip(s->dy + i, at);
    for (int64_t i = begin; i < end; i += s->heads) {
        vec dx = load_strip(s->y + i, at) * (load_strip(s->dy + i, at) - sum);
        if (s->accumulate) dx += load_strip(s->dx + i, at);
        store_strip(s->dx + i, dx, at);
    }
}

INLINE void softmax_grad_single(const cru_edge_softmax_grad_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float sum = 0;
    for (int64_t e = begin; e < end; e++) sum += s->y[e] * s->dy[e];
    for (int64_t e = begin; e < end; e++) cpu_store(s->dx + e, s->y[e] * (s->dy[e] - sum), s->accumulate);
}

static void edge_softmax_grad_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_softmax_grad_args *s = task;
    for (int64_t v = begin; v < end; v++) {
        if (s->heads == 1)
            softmax_grad_single(s, v);
        else
            for (int64_t h = 0; h < s->heads; h += LANES) softmax_grad_strip(s, v, strip_at(h, s->heads));
    }
}

static void edge_softmax_grad(cru_device *device, const cru_edge_softmax_grad_args *args)
{
    cpu_for_rows(device, &(cpu_row_loop){&args->a, 2 * args->heads, edge_softmax_grad_rows, args});
}

#endif
