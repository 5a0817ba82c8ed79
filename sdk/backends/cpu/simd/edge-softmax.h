// SPDX-License-Identifier: Apache-2.0
/* Softmax over the entries of each row of a graph, per head. With one head rows are too short for vectors: they are
 * gathered into tiles whose entries are contiguous in memory, the maximum of each row is subtracted, one long loop
 * takes the exponentials of the whole tile, and a last pass divides each row by its sum. */
#ifndef CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H
#define CRUCIBLE_CPU_SIMD_EDGE_SOFTMAX_H

#include "../cpu.h"
#include "vector.h"

enum { SOFTMAX_TILE = 4096 };

/* Some heads of a row. */
INLINE void softmax_strip(const cru_edge_softmax_args *s, int64_t v, strip at)
{
    const int64_t begin = s->a.offsets[v] * s->heads + at.first, end = s->a.offsets[v + 1] * s->heads;
    vec max = (vec){0} - INFINITY, sum = {0};
    for (int64_t i = begin; i < end; i += s->heads) max = vec_max(max, load_strip(s->x + i, at));
    for (int64_t i = begin; i < end; i += s->heads) {
        const vec e = exp_negative(load_strip(s->x + i, at) - max);
        store_strip(s->y + i, e, at);
        sum += e;
    }
    const vec scale = 1.0f / sum;
    for (int64_t i = begin; i < end; i += s->heads) store_strip(s->y + i, load_strip(s->y + i, at) * scale, at);
}

/* The end of the tile that starts at row v: about SOFTMAX_TILE entries, at least one row. */
INLINE int64_t tile_end(const cru_csr *a, int64_t v, int64_t end)
{
    const int64_t limit = a->offsets[v] + SOFTMAX_TILE;
    for (v++; v < end && a->offsets[v + 1] <= limit; v++) {
    }
    return v;
}

/* y = x - max of the row */
INLINE void subtract_max(const cru_edge_softmax_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float max = -INFINITY;
    for (int64_t e = begin; e < end; e++) max = s->x[e] > max ? s->x[e] : max;
    for (int64_t e = begin; e < end; e++) s->y[e] = s->x[e] - max;
}

INLINE void divide_by_sum(const cru_edge_softmax_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float sum = 0;
    for (int64_t e = begin; e < end; e++) sum += s->y[e];
    const float scale = 1.0f / sum;
    for (int64_t e = begin; e < end; e++) s->y[e] *= scale;
}

static void softmax_tile(const cru_edge_softmax_args *s, int64_t start, int64_t next)
{
    const int64_t begin = s->a.offsets[start], end = s->a.offsets[next];
    for (int64_t v = start; v < next; v++) subtract_max(s, v);
    for (int64_t i = 0; i < end - begin; i += LANES) {
        const strip at = strip_at(i, end - begin);
        store_strip(s->y + begin + i, exp_negative(load_strip(s->y + begin + i, at)), at);
    }
    for (int64_t v = start; v < next; v++) divide_by_sum(s, v);
}

static void edge_softmax_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_softmax_args *s = task;
    if (s->heads > 1) {
        for (int64_t h = 0; h < s->heads; h += LANES) {
            const strip at = strip_at(h, s->heads);
            for (int64_t v = begin; v < end; v++) softmax_strip(s, v, at);
        }
        return;
    }
    for (int64_t start = begin, next; start < end; start = next) {
        next = tile_end(&s->a, start, end);
        softmax_tile(s, start, next);
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
    for (int64_t i = begin; i < end; i += s->heads)
        sum = vec_fused(load_strip(s->y + i, at), load_strip(s->dy + i, at), sum);
    for (int64_t i = begin; i < end; i += s->heads) {
        const vec before = s->accumulate ? load_strip(s->dx + i, at) : -(vec){0}; /* see cpu_store */
        store_strip(s->dx + i, vec_fused(load_strip(s->y + i, at), load_strip(s->dy + i, at) - sum, before), at);
    }
}

INLINE void softmax_grad_single(const cru_edge_softmax_grad_args *s, int64_t v)
{
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1];
    float sum = 0;
    for (int64_t e = begin; e < end; e++) sum = fused(s->y[e], s->dy[e], sum);
    for (int64_t e = begin; e < end; e++) store_product(s->dx + e, s->y[e], s->dy[e] - sum, s->accumulate);
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
