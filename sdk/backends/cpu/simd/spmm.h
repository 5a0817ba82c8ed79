/* Sparse times dense: weighted sums, means and extremes of neighbours' rows.
 *
 * A row of the result is heads x cols floats. The sums of up to SPMM_BLOCK vectors of it stay in registers while the
 * entries of the row pass by, so x is read once per entry and the result is written once. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_H
#define CRUCIBLE_CPU_SIMD_SPMM_H

#include "../cpu.h"
#include "finish.h"
#include "vector.h"

enum { SPMM_BLOCK = 8, PREFETCH_AHEAD = 16 };

static const float one = 1.0f;

typedef struct spmm_task {
    const cru_spmm_args *s;
    const float *weights; /* of entry e: weights + step * (order ? order[e] : e) */
    int64_t step;         /* 0 when all weights are one */
    int64_t stride;       /* heads * cols */
    int64_t entries;      /* of the matrix */
} spmm_task;

typedef struct spmm_row {
    const spmm_task *t;
    int64_t begin, end; /* entries */
    float scale;        /* of the sum: 1, or 1 / entries for a mean */
    float *y;
    bool accumulate;
} spmm_row;

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

/* What a block is made of; constants in every call, so that each combination becomes straight code. */
typedef struct block_kind {
    int vectors;   /* whole vectors */
    bool tail;     /* followed by a part of one */
    bool one_head; /* all belong to the head of the first */
    bool near;     /* x is small, weights are in order: nothing to prefetch or look up */
} block_kind;

/* Where a block lies: its first float, the head of its first vector, and, when it spans heads, how many vectors a head
 * has and how many of the first head's lie before it. */
typedef struct block_place {
    int64_t first, head, per_head, before;
    first_lanes mask; /* of the tail */
} block_place;

INLINE void add_entry(const spmm_task *t, int64_t e, const block_place *at, block_kind kind, vec *sum)
{
    const float *x = t->s->x + at->first + t->s->a.ids[e] * t->stride;
    const float *w = (kind.near ? t->weights + e * t->step : weights_of(t, e)) + at->head;
    if (!kind.near) prefetch(t, e, at->first, kind.vectors * LANES + (kind.tail ? LANES : 0));
    if (kind.one_head) {
        const float weight = *w;
        for (int k = 0; k < kind.vectors; k++) sum[k] += weight * load(x + k * LANES);
        if (kind.tail) sum[kind.vectors] += weight * load_first(x + kind.vectors * LANES, at->mask);
        return;
    }
    int64_t left = at->per_head - at->before;
    for (int k = 0; k < kind.vectors; k++, left--) {
        if (left == 0) w += t->step != 0, left = at->per_head;
        sum[k] += *w * load(x + k * LANES);
    }
}

/* Narrow blocks take entries by fours into sums of their own: one chain of additions would wait for itself. */
INLINE void sum_block(const spmm_row *r, const block_place *at, block_kind kind)
{
    enum { CHAINS = 4, NARROW = 2 };
    const int chains = kind.vectors <= NARROW ? CHAINS : 1;
    vec sum[CHAINS][SPMM_BLOCK + 1];
    for (int c = 0; c < chains; c++)
        for (int k = 0; k <= kind.vectors; k++) sum[c][k] = (vec){0};
    int64_t e = r->begin;
    for (; e + chains <= r->end; e += chains)
        for (int c = 0; c < chains; c++) add_entry(r->t, e + c, at, kind, sum[c]);
    for (; e < r->end; e++) add_entry(r->t, e, at, kind, sum[0]);
    for (int c = 1; c < chains; c++)
        for (int k = 0; k <= kind.vectors; k++) sum[0][k] += sum[c][k];
    float *y = r->y + at->first;
    for (int k = 0; k < kind.vectors; k++, y += LANES) {
        const vec result = sum[0][k] * r->scale;
        store(y, r->accumulate ? load(y) + result : result);
    }
    if (!kind.tail) return;
    const vec result = sum[0][kind.vectors] * r->scale;
    store_first(y, r->accumulate ? load_first(y, at->mask) + result : result, at->mask);
}

/* One pass over the entries for 1 to SPMM_BLOCK whole vectors. */
INLINE void sum_vectors(const spmm_row *r, const block_place *at, int64_t vectors, block_kind kind)
{
    switch (vectors) {
    case 1:
        kind.vectors = 1;
        sum_block(r, at, kind);
        return;
    case 2:
        kind.vectors = 2;
        sum_block(r, at, kind);
        return;
    case 3:
        kind.vectors = 3;
        sum_block(r, at, kind);
        return;
    case 4:
        kind.vectors = 4;
        sum_block(r, at, kind);
        return;
    case 5:
        kind.vectors = 5;
        sum_block(r, at, kind);
        return;
    case 6:
        kind.vectors = 6;
        sum_block(r, at, kind);
        return;
    case 7:
        kind.vectors = 7;
        sum_block(r, at, kind);
        return;
    default:
        kind.vectors = 8;
        sum_block(r, at, kind);
        return;
    }
}

/* The columns of one head. */
INLINE void sum_head(const spmm_row *r, int64_t head, bool near)
{
    const int64_t cols = r->t->s->cols;
    block_place at = {.first = head * cols, .head = r->t->step ? head : 0};
    int64_t floats = cols;
    while (floats >= LANES) {
        const int64_t vectors = floats / LANES < SPMM_BLOCK ? floats / LANES : SPMM_BLOCK;
        sum_vectors(r, &at, vectors, (block_kind){.one_head = true, .near = near});
        at.first += vectors * LANES;
        floats -= vectors * LANES;
    }
    if (floats == 0) return;
    at.mask = first_mask(floats);
    sum_block(r, &at, (block_kind){.tail = true, .one_head = true, .near = near});
}

/* All heads together, when each fills whole vectors: the entries pass by once for several of them. */
INLINE void sum_heads(const spmm_row *r, bool near)
{
    const int64_t per_head = r->t->s->cols / LANES, total = r->t->s->heads * per_head;
    block_place at = {.per_head = per_head};
    for (int64_t done = 0; done < total; done += SPMM_BLOCK) {
        const int64_t vectors = total - done < SPMM_BLOCK ? total - done : SPMM_BLOCK;
        at.first = done * LANES;
        at.before = done % per_head;
        at.head = r->t->step ? done / per_head : 0;
        sum_vectors(r, &at, vectors, (block_kind){.near = near});
    }
}

INLINE void sum_entries(const spmm_row *r, bool near)
{
    const cru_spmm_args *s = r->t->s;
    if (s->heads > 1 && s->cols % LANES == 0)
        sum_heads(r, near);
    else
        for (int64_t h = 0; h < s->heads; h++) sum_head(r, h, near);
}

/* Calls, so that the many blocks above are compiled once each. */
typedef void sum_function(const spmm_row *r);
static __attribute__((noinline)) void sum_entries_near(const spmm_row *r)
{
    sum_entries(r, true);
}
static __attribute__((noinline)) void sum_entries_far(const spmm_row *r)
{
    sum_entries(r, false);
}

/* Long rows are summed in pieces: partial sums of equal size lose less to rounding than one long chain. */
static void sum_band(const spmm_task *t, int64_t begin, int64_t end, sum_function *sum)
{
    enum { PIECE = 256 };
    const cru_spmm_args *s = t->s;
    for (int64_t v = begin; v < end; v++) {
        const int64_t last = s->a.offsets[v + 1];
        spmm_row r = {t, s->a.offsets[v], last, 1.0f, s->y + v * t->stride, s->accumulate};
        if (s->op == CRU_REDUCE_MEAN && r.end > r.begin) r.scale = 1.0f / (float)(r.end - r.begin);
        for (; last - r.begin > PIECE; r.begin = r.end, r.accumulate = true) {
            r.end = r.begin + PIECE;
            sum(&r);
        }
        r.end = last;
        sum(&r);
    }
}

static void sum_rows(const spmm_task *t, int64_t begin, int64_t end, sum_function *sum)
{
    const int64_t band = t->s->finish ? rows_in_band(t->stride) : end - begin;
    for (int64_t v = begin; v < end; v += band) {
        const int64_t last = end - v < band ? end : v + band;
        sum_band(t, v, last, sum);
        if (t->s->finish) finish_band(t->s->finish, t->s->y, v, last - v, t->stride);
    }
}

static void spmm_sum_near(const void *task, int64_t begin, int64_t end)
{
    sum_rows(task, begin, end, sum_entries_near);
}

static void spmm_sum_far(const void *task, int64_t begin, int64_t end)
{
    sum_rows(task, begin, end, sum_entries_far);
}

/* The largest (smallest) weighted neighbour of up to LANES columns of a head, from column `first` on, and the entry it
 * came from. The first entry is taken as it is, later ones when they are better: NaN stays only at the front. */
INLINE void extreme_strip(const spmm_task *t, int64_t v, int64_t head, int64_t first, bool least)
{
    const cru_spmm_args *s = t->s;
    const int64_t begin = s->a.offsets[v], end = s->a.offsets[v + 1], left = s->cols - first;
    const int64_t column = head * s->cols + first, weight = t->step ? head : 0;
    const strip at = strip_at(first, s->cols);
    vec best = {0};
    vec_int where = (vec_int){0} - 1;
    for (int64_t e = begin; e < end; e++) {
        const vec value = weights_of(t, e)[weight] * load_strip(s->x + s->a.ids[e] * t->stride + column, at);
        const vec_int better = e == begin ? (vec_int){0} - 1 : least ? value < best : value > best;
        best = choose(better, value, best);
        where = choose_int(better, (vec_int){0} + (int32_t)e, where);
    }
    float *y = s->y + v * t->stride + column;
    store_strip(y, s->accumulate ? load_strip(y, at) + best : best, at);
    if (s->where) memcpy(s->where + v * t->stride + column, &where, 4 * (size_t)(left < LANES ? left : LANES));
}

INLINE void extreme_row(const spmm_task *t, int64_t v, bool least)
{
    for (int64_t head = 0; head < t->s->heads; head++)
        for (int64_t first = 0; first < t->s->cols; first += LANES) extreme_strip(t, v, head, first, least);
}

static void spmm_extreme_rows(const void *task, int64_t begin, int64_t end)
{
    const spmm_task *t = task;
    for (int64_t v = begin; v < end; v++) {
        if (t->s->op == CRU_REDUCE_MIN)
            extreme_row(t, v, true);
        else
            extreme_row(t, v, false);
    }
}

static void spmm(cru_device *device, const cru_spmm_args *args)
{
    enum { SECOND_CACHE = 64 * 1024 }; /* floats that fit into a second-level cache */
    spmm_task t = {.s = args, .weights = &one, .stride = args->heads * args->cols, .entries = cru_csr_nnz(&args->a)};
    if (args->weights) {
        t.weights = args->weights;
        t.step = args->heads;
    } else if (args->a.values) {
        t.weights = args->a.values;
        t.step = 1;
    }
    cpu_range *run = spmm_extreme_rows;
    if (args->op == CRU_REDUCE_SUM || args->op == CRU_REDUCE_MEAN)
        run = args->a.cols * t.stride <= SECOND_CACHE && !args->order ? spmm_sum_near : spmm_sum_far;
    cpu_for_rows(device, &(cpu_row_loop){&args->a, t.stride, run, &t});
}

#endif
