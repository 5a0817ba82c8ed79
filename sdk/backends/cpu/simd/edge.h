// SPDX-License-Identifier: Apache-2.0
/* Per-edge values from per-node ones and back: SDDMM, edge scores, sums of edges, edge softmax. */
#ifndef CRUCIBLE_CPU_SIMD_EDGE_H
#define CRUCIBLE_CPU_SIMD_EDGE_H

#include "../cpu.h"
#include "binary.h"
#include "vector.h"

static void sddmm_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_sddmm_args *s = task;
    const int64_t stride = s->heads * s->cols, whole = s->cols / LANES * LANES;
    const first_lanes mask = first_mask(s->cols - whole);
    const int64_t last = s->a.offsets[end];
    for (int64_t v = begin; v < end; v++)
        for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++) {
            const float *l = s->l + v * stride, *r = s->r + s->a.ids[e] * stride;
            if (e + 4 < last)
                for (int64_t i = 0; i < stride; i += 16) __builtin_prefetch(s->r + s->a.ids[e + 4] * stride + i);
            for (int64_t h = 0; h < s->heads; h++, l += s->cols, r += s->cols) {
                vec sum = {0};
                for (int64_t j = 0; j < whole; j += LANES) sum = vec_fused(load(l + j), load(r + j), sum);
                if (whole < s->cols) sum = vec_fused(load_first(l + whole, mask), load_first(r + whole, mask), sum);
                store_product(s->y + e * s->heads + h, s->scale, lane_sum(sum), s->accumulate);
            }
        }
}

static void sddmm(cru_device *device, const cru_sddmm_args *args)
{
    cpu_for_rows(device, &(cpu_row_loop){&args->a, args->heads * args->cols, sddmm_rows, args});
}

INLINE void edge_map(const cru_edge_args *s, int64_t begin, int64_t end, pair_fn *f)
{
    for (int64_t v = begin; v < end; v++)
        for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++) {
            const float *l = s->l + v * s->heads, *r = s->r + s->a.ids[e] * s->heads;
            float *y = s->y + e * s->heads;
            for (int64_t h = 0; h < s->heads; h++) cpu_store(y + h, f(l[h], r[h]), s->accumulate);
        }
}

/* One side absent: the other one's values. */
static void edge_copy(const cru_edge_args *s, int64_t begin, int64_t end)
{
    for (int64_t v = begin; v < end; v++)
        for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++) {
            const float *x = s->l ? s->l + v * s->heads : s->r + s->a.ids[e] * s->heads;
            for (int64_t h = 0; h < s->heads; h++) cpu_store(s->y + e * s->heads + h, x[h], s->accumulate);
        }
}

static void edge_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_args *s = task;
    if (!s->l || !s->r) {
        edge_copy(s, begin, end);
        return;
    }
    switch (s->op) {
    case CRU_BINARY_ADD:
        edge_map(s, begin, end, b_add);
        return;
    case CRU_BINARY_SUB:
        edge_map(s, begin, end, b_sub);
        return;
    case CRU_BINARY_MUL:
        edge_map(s, begin, end, b_mul);
        return;
    case CRU_BINARY_DIV:
        edge_map(s, begin, end, b_div);
        return;
    case CRU_BINARY_MAX:
        edge_map(s, begin, end, b_max);
        return;
    case CRU_BINARY_MIN:
        edge_map(s, begin, end, b_min);
        return;
    case CRU_BINARY_COUNT:
        return;
    }
}

static void edge(cru_device *device, const cru_edge_args *args)
{
    if (!args->l && !args->r) return;
    cpu_for_rows(device, &(cpu_row_loop){&args->a, args->heads, edge_rows, args});
}

/* One strip of the sum of a row, in pieces so that long rows lose less to rounding. */
INLINE void sum_edges(const cru_edge_sum_args *s, int64_t v, strip at)
{
    enum { PIECE = 256 };
    const int64_t end = s->a.offsets[v + 1];
    vec sum = {0};
    for (int64_t begin = s->a.offsets[v], next; begin < end; begin = next) {
        next = end - begin < PIECE ? end : begin + PIECE;
        vec part = {0};
        for (int64_t e = begin; e < next; e++)
            part += load_strip(s->x + (s->order ? s->order[e] : e) * s->cols + at.first, at);
        sum += part;
    }
    float *y = s->y + v * s->cols + at.first;
    store_strip(y, s->accumulate ? load_strip(y, at) + sum : sum, at);
}

static void sum_edges_single(const cru_edge_sum_args *s, int64_t v)
{
    double sum = 0;
    for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++) sum += (double)s->x[s->order ? s->order[e] : e];
    cpu_store(s->y + v, (float)sum, s->accumulate);
}

static void edge_sum_rows(const void *task, int64_t begin, int64_t end)
{
    const cru_edge_sum_args *s = task;
    for (int64_t v = begin; v < end; v++) {
        if (s->cols == 1)
            sum_edges_single(s, v);
        else
            for (int64_t first = 0; first < s->cols; first += LANES) sum_edges(s, v, strip_at(first, s->cols));
    }
}

static void edge_sum(cru_device *device, const cru_edge_sum_args *args)
{
    cpu_for_rows(device, &(cpu_row_loop){&args->a, args->cols, edge_sum_rows, args});
}

#endif
