// SPDX-License-Identifier: Apache-2.0
/* Weighted sums of neighbours' rows.
 *
 * A row of the result is heads x cols floats. The sums of up to SPMM_BLOCK vectors of it, and of a part of one that
 * follows, stay in registers while the entries of the row pass by: most rows are one such block, so that x is read once
 * per entry and the result is written once. A block spans heads: every lane has the weight of its own head. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_SUM_H
#define CRUCIBLE_CPU_SIMD_SPMM_SUM_H

#include "../cpu.h"
#include "vector.h"

enum { SPMM_BLOCK = 8, PREFETCH_AHEAD = 16 };

static const float one = 1.0f;

typedef struct spmm_task {
    const cru_spmm_args *s;
    float *y; /* where row `first` of the sums goes */
    int64_t first;
    bool streams;            /* the result is large */
    bool near;               /* x is small, weights are in order: nothing to prefetch or look up */
    const float *weights;    /* of entry e: weights + step * (order ? order[e] : e) */
    int64_t step;            /* 0 when all weights are one */
    int64_t stride;          /* heads * cols */
    int64_t entries;         /* of the matrix */
    const int32_t *head;     /* of every float of a row, within its group of LANES heads; NULL: one weight for all */
    const uint64_t *present; /* one bit per row of x, clear for zero rows that need no reading; NULL: not known */
} spmm_task;

INLINE const float *weights_of(const spmm_task *t, int64_t e)
{
    return t->weights + (t->s->order ? t->s->order[e] : e) * t->step;
}

/* Asks for the neighbour's row some entries ahead, also beyond the end of this row: the next row follows in memory. */
INLINE void prefetch(const spmm_task *t, int64_t e, int64_t first, int64_t floats)
{
    const int64_t ahead = e + PREFETCH_AHEAD;
    if (ahead >= t->entries) return;
    const float *x = t->s->x + t->s->a.ids[ahead] * t->stride + first;
    for (int64_t i = 0; i < floats; i += 16) __builtin_prefetch(x + i);
}

/* What a block is made of; constants in every call, so that each combination becomes straight code. Only `near` is read
 * from the task where there are heads, whose weights cost more than that. */
typedef struct block_kind {
    int vectors; /* whole vectors */
    bool tail;   /* followed by a part of one */
    bool heads;  /* its lanes may belong to several heads */
    bool near;   /* as in the task */
} block_kind;

/* Where a block lies: its rows, its first float in them, and the heads that it may span. */
typedef struct block_place {
    int64_t begin, end, first, head, heads;
    first_lanes tail; /* what is used of the last vector */
} block_place;

INLINE void add_entry(const spmm_task *t, int64_t e, const block_place *at, block_kind kind, vec *sum)
{
    const float *x = t->s->x + at->first + t->s->a.ids[e] * t->stride;
    const float *w = (kind.near ? t->weights + e * t->step : weights_of(t, e)) + at->head;
    if (!kind.near) prefetch(t, e, at->first, kind.vectors * LANES + (kind.tail ? LANES : 0));
    if (kind.heads) {
        const table weight = load_table(w, at->heads);
        const int32_t *head = t->head + at->first;
        for (int k = 0; k < kind.vectors; k++)
            sum[k] = vec_fused(look_up(weight, head + k * LANES), load(x + k * LANES), sum[k]);
        if (kind.tail)
            sum[kind.vectors] = vec_fused(look_up(weight, head + kind.vectors * LANES),
                                          load_first(x + kind.vectors * LANES, at->tail), sum[kind.vectors]);
    } else {
        const vec weight = splat(*w);
        for (int k = 0; k < kind.vectors; k++) sum[k] = vec_fused(weight, load(x + k * LANES), sum[k]);
        if (kind.tail)
            sum[kind.vectors] = vec_fused(weight, load_first(x + kind.vectors * LANES, at->tail), sum[kind.vectors]);
    }
}

/* Some entries of a row, and what becomes of their sum. */
typedef struct row_piece {
    int64_t begin, end;
    float scale; /* 1, or 1 / entries for a mean */
    float *y;
    bool accumulate;
} row_piece;

/* Narrow blocks take entries by fours into sums of their own: one chain of additions would wait for itself. Long rows
 * are summed in pieces: partial sums of equal size lose less to rounding than one long chain. */
enum { CHAINS = 4, PIECE = 256 };

INLINE void sum_piece(const spmm_task *t, const row_piece *p, const block_place *at, block_kind kind)
{
    enum { NARROW = 2 };
    const int all = kind.vectors + (kind.tail ? 1 : 0), chains = all <= NARROW ? CHAINS : 1;
    vec sum[CHAINS][SPMM_BLOCK + 1];
    for (int c = 0; c < chains; c++)
        for (int k = 0; k < all; k++) sum[c][k] = (vec){0};
    int64_t e = p->begin;
    for (; e + chains <= p->end; e += chains)
        for (int c = 0; c < chains; c++) add_entry(t, e + c, at, kind, sum[c]);
    for (; e < p->end; e++) add_entry(t, e, at, kind, sum[0]);
    for (int c = 1; c < chains; c++)
        for (int k = 0; k < all; k++) sum[0][k] += sum[c][k];
    float *y = p->y + at->first;
    const vec nothing = -(vec){0}; /* -0: see cpu_store */
    for (int k = 0; k < kind.vectors; k++, y += LANES)
        store(y, (p->accumulate ? load(y) : nothing) + sum[0][k] * p->scale);
    if (!kind.tail) return;
    const vec before = p->accumulate ? load_first(y, at->tail) : nothing;
    store_first(y, before + sum[0][kind.vectors] * p->scale, at->tail);
}

/* One block of some rows. */
INLINE void sum_block(const spmm_task *t, const block_place *at, block_kind kind)
{
    const cru_spmm_args *s = t->s;
    for (int64_t v = at->begin; v < at->end; v++) {
        const int64_t last = s->a.offsets[v + 1];
        row_piece p = {s->a.offsets[v], 0, 1.0f, t->y + (v - t->first) * t->stride, s->accumulate};
        if (s->op == CRU_REDUCE_MEAN && last > p.begin) p.scale = 1.0f / (float)(last - p.begin);
        do {
            p.end = last - p.begin > PIECE ? p.begin + PIECE : last;
            sum_piece(t, &p, at, kind);
            p.begin = p.end;
            p.accumulate = true;
        } while (p.begin < last);
    }
}

/* At most SPMM_BLOCK whole vectors. */
INLINE void sum_vectors(const spmm_task *t, const block_place *at, int64_t vectors, block_kind kind)
{
    switch (vectors) {
#define CASE(n)                                                                                                        \
    case n:                                                                                                            \
        kind.vectors = n;                                                                                              \
        sum_block(t, at, kind);                                                                                        \
        return;
        CASE(0)
        CASE(1)
        CASE(2)
        CASE(3)
        CASE(4)
        CASE(5)
        CASE(6)
        CASE(7)
        CASE(8)
#undef CASE
    }
}

/* `floats` columns that share a group of heads, from at->first on. */
INLINE void sum_floats(const spmm_task *t, block_place *at, int64_t floats, block_kind kind)
{
    while (floats > 0) {
        const int64_t vectors = floats / LANES < SPMM_BLOCK ? floats / LANES : SPMM_BLOCK;
        const int64_t rest = floats - vectors * LANES;
        if (rest > 0 && rest < LANES) {
            at->tail = first_mask(rest);
            kind.tail = true;
            sum_vectors(t, at, vectors, kind);
            return;
        }
        kind.tail = false;
        sum_vectors(t, at, vectors, kind);
        at->first += vectors * LANES;
        floats = rest;
    }
}

INLINE void sum_heads(const spmm_task *t, int64_t begin, int64_t end)
{
    const int64_t heads = t->s->heads, cols = t->s->cols;
    for (int64_t h = 0; h < heads; h += LANES) {
        const int64_t group = heads - h < LANES ? heads - h : LANES;
        block_place at = {.begin = begin, .end = end, .first = h * cols, .head = h, .heads = group};
        sum_floats(t, &at, group * cols, (block_kind){.heads = true, .near = t->near});
    }
}

/* Rows of one block are treated together; of wider rows all blocks of one, then all of the next. */
INLINE int64_t rows_together(const spmm_task *t, int64_t begin, int64_t end)
{
    return t->stride < (SPMM_BLOCK + 1) * LANES ? end - begin : 1;
}

INLINE void sum_rows(const spmm_task *t, int64_t begin, int64_t end, bool near)
{
    const int64_t step = rows_together(t, begin, end);
    for (int64_t v = begin; v < end; v += step)
        sum_floats(t, &(block_place){.begin = v, .end = v + step}, t->stride, (block_kind){.near = near});
}

/* What sums of rows of one vector or a part of one need, near: little enough to stay in registers. */
typedef struct slim_rows {
    const int32_t *ids;
    const float *x, *weights;
    int64_t stride;
    first_lanes lanes;
} slim_rows;

INLINE vec slim_entry(const slim_rows *r, int64_t e, vec sum, bool tail, bool weighted)
{
    const float *x = r->x + r->ids[e] * r->stride;
    return vec_fused(splat(weighted ? r->weights[e] : 1.0f), tail ? load_first(x, r->lanes) : load(x), sum);
}

/* The sums of sum_block for such rows: few entries a row leave no time to look things up in the task. */
INLINE void sum_slim_rows(const spmm_task *t, int64_t begin, int64_t end, bool tail, bool weighted)
{
    const cru_spmm_args *s = t->s;
    const int64_t *offsets = s->a.offsets, stride = tail ? t->stride : LANES;
    const first_lanes lanes = first_mask(tail ? stride : 0);
    const slim_rows row = {s->a.ids, s->x, t->weights, stride, lanes};
    const vec nothing = -(vec){0};
    float *y = t->y + (begin - t->first) * stride;
    for (int64_t v = begin, e = offsets[begin]; v < end; v++, y += stride) {
        const int64_t last = offsets[v + 1];
        const float scale = s->op == CRU_REDUCE_MEAN && last > e ? 1.0f / (float)(last - e) : 1.0f;
        bool accumulate = s->accumulate;
        do {
            const int64_t piece = last - e > PIECE ? e + PIECE : last;
            vec sum[CHAINS] = {{0}};
            for (; e + CHAINS <= piece; e += CHAINS)
                for (int c = 0; c < CHAINS; c++) sum[c] = slim_entry(&row, e + c, sum[c], tail, weighted);
            for (; e < piece; e++) sum[0] = slim_entry(&row, e, sum[0], tail, weighted);
            vec total = sum[0];
            for (int c = 1; c < CHAINS; c++) total += sum[c];
            const vec before = !accumulate ? nothing : tail ? load_first(y, lanes) : load(y);
            total = before + total * scale;
            if (tail)
                store_first(y, total, lanes);
            else
                store(y, total);
            accumulate = true;
        } while (e < last);
    }
}

/* Calls, so that the many blocks above are compiled once each. */
typedef void sum_function(const spmm_task *t, int64_t begin, int64_t end);
static __attribute__((noinline)) void sum_rows_near(const spmm_task *t, int64_t begin, int64_t end)
{
    sum_rows(t, begin, end, true);
}
static __attribute__((noinline)) void sum_rows_slim(const spmm_task *t, int64_t begin, int64_t end)
{
    if (t->stride < LANES)
        t->step ? sum_slim_rows(t, begin, end, true, true) : sum_slim_rows(t, begin, end, true, false);
    else
        t->step ? sum_slim_rows(t, begin, end, false, true) : sum_slim_rows(t, begin, end, false, false);
}
static __attribute__((noinline)) void sum_rows_far(const spmm_task *t, int64_t begin, int64_t end)
{
    sum_rows(t, begin, end, false);
}
static __attribute__((noinline)) void sum_rows_heads(const spmm_task *t, int64_t begin, int64_t end)
{
    const int64_t step = rows_together(t, begin, end);
    for (int64_t v = begin; v < end; v += step) sum_heads(t, v, v + step);
}

#endif
