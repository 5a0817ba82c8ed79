/* Sparse times dense: weighted sums, means and extremes of neighbours' rows.
 *
 * A row of the result is heads x cols floats. The sums of up to SPMM_BLOCK vectors of it stay in registers while the
 * entries of the row pass by, so x is read once per entry and the result is written once. */
#ifndef CRUCIBLE_CPU_SIMD_SPMM_H
#define CRUCIBLE_CPU_SIMD_SPMM_H

#include "../cpu.h"
#include "vector.h"

enum { SPMM_BLOCK = 8, PREFETCH_AHEAD = 6 };

static const float one = 1.0f;

typedef struct spmm_task {
    const cru_spmm_args *s;
    const float *weights; /* of entry e: weights + step * (order ? order[e] : e) */
    int64_t step;         /* 0 when all weights are one */
    int64_t stride;       /* heads * cols */
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

/* The neighbour's row some entries ahead, also beyond the end of this row: the next row follows in memory. */
INLINE void prefetch(const spmm_task *t, int64_t e, int64_t first, int64_t floats)
{
    const int64_t ahead = e + PREFETCH_AHEAD;
    if (ahead >= t->s->a.offsets[t->s->a.rows]) return;
    const float *x = t->s->x + t->s->a.ids[ahead] * t->stride + first;
    for (int64_t i = 0; i < floats; i += 16) __builtin_prefetch(x + i);
}

INLINE void finish_sum(const spmm_row *r, int64_t first, vec sum)
{
    vec result = sum * r->scale;
    if (r->accumulate) result += load(r->y + first);
    store(r->y + first, result);
}

/* `count` vectors of the row from float `first` on; vector k has the weight of head (first + k LANES) / cols. `count`
 * and `one_head` (all vectors belong to the head of `first`) are constants of the call. */
INLINE void sum_block(const spmm_row *r, int64_t first, int count, bool one_head)
{
    const spmm_task *t = r->t;
    const int32_t *ids = t->s->a.ids;
    int64_t head[SPMM_BLOCK];
    vec sum[SPMM_BLOCK];
    for (int k = 0; k < count; k++) {
        sum[k] = (vec){0};
        head[k] = t->step ? (first + k * LANES) / t->s->cols : 0;
    }
    for (int64_t e = r->begin; e < r->end; e++) {
        const float *x = t->s->x + ids[e] * t->stride + first, *w = weights_of(t, e);
        prefetch(t, e, first, count * LANES);
        for (int k = 0; k < count; k++) sum[k] += w[one_head ? head[0] : head[k]] * load(x + k * LANES);
    }
    for (int k = 0; k < count; k++) finish_sum(r, first + k * LANES, sum[k]);
}

/* The last columns of a head, fewer than a vector. */
INLINE void sum_tail(const spmm_row *r, int64_t first, int64_t lanes)
{
    const spmm_task *t = r->t;
    const int64_t head = t->step ? first / t->s->cols : 0;
    const first_lanes mask = first_mask(lanes);
    vec sum = {0};
    for (int64_t e = r->begin; e < r->end; e++) {
        prefetch(t, e, first, lanes);
        sum += weights_of(t, e)[head] * load_first(t->s->x + t->s->a.ids[e] * t->stride + first, mask);
    }
    sum *= r->scale;
    if (r->accumulate) sum += load_first(r->y + first, mask);
    store_first(r->y + first, sum, mask);
}

INLINE void sum_span(const spmm_row *r, int64_t first, int64_t floats, bool one_head)
{
    const int64_t end = first + floats;
    for (; end - first >= 8 * LANES; first += 8 * LANES) sum_block(r, first, 8, one_head);
    if (end - first >= 4 * LANES) sum_block(r, first, 4, one_head), first += 4 * LANES;
    if (end - first >= 2 * LANES) sum_block(r, first, 2, one_head), first += 2 * LANES;
    if (end - first >= LANES) sum_block(r, first, 1, one_head), first += LANES;
    if (end > first) sum_tail(r, first, end - first);
}

INLINE void sum_entries(const spmm_row *r)
{
    const cru_spmm_args *s = r->t->s;
    if (s->heads == 1)
        sum_span(r, 0, s->cols, true);
    else if (s->cols % LANES == 0)
        sum_span(r, 0, s->heads * s->cols, false);
    else
        for (int64_t h = 0; h < s->heads; h++) sum_span(r, h * s->cols, s->cols, true);
}

/* Long rows are summed in pieces: partial sums of equal size lose less to rounding than one long chain. */
static void spmm_sum_rows(const void *task, int64_t begin, int64_t end)
{
    enum { PIECE = 256 };
    const spmm_task *t = task;
    const cru_spmm_args *s = t->s;
    for (int64_t v = begin; v < end; v++) {
        const int64_t last = s->a.offsets[v + 1];
        spmm_row r = {t, s->a.offsets[v], last, 1.0f, s->y + v * t->stride, s->accumulate};
        if (s->op == CRU_REDUCE_MEAN && r.end > r.begin) r.scale = 1.0f / (float)(r.end - r.begin);
        for (; last - r.begin > PIECE; r.begin = r.end, r.accumulate = true) {
            r.end = r.begin + PIECE;
            sum_entries(&r);
        }
        r.end = last;
        sum_entries(&r);
    }
}

static void spmm_extreme_rows(const void *task, int64_t begin, int64_t end)
{
    const spmm_task *t = task;
    const cru_spmm_args *s = t->s;
    for (int64_t v = begin; v < end; v++)
        for (int64_t at = 0; at < t->stride; at++) {
            const int64_t head = t->step ? at / s->cols : 0;
            float best = 0;
            int64_t where = -1;
            for (int64_t e = s->a.offsets[v]; e < s->a.offsets[v + 1]; e++) {
                const float value = weights_of(t, e)[head] * s->x[s->a.ids[e] * t->stride + at];
                if (where < 0 || (s->op == CRU_REDUCE_MIN ? value < best : value > best)) best = value, where = e;
            }
            cpu_store(s->y + v * t->stride + at, best, s->accumulate);
            if (s->where) s->where[v * t->stride + at] = (int32_t)where;
        }
}

static void spmm(cru_device *device, const cru_spmm_args *args)
{
    spmm_task t = {.s = args, .weights = &one, .stride = args->heads * args->cols};
    if (args->weights) {
        t.weights = args->weights;
        t.step = args->heads;
    } else if (args->a.values) {
        t.weights = args->a.values;
        t.step = 1;
    }
    bool sum = args->op == CRU_REDUCE_SUM || args->op == CRU_REDUCE_MEAN;
    cpu_for_rows(device, &(cpu_row_loop){&args->a, t.stride, sum ? spmm_sum_rows : spmm_extreme_rows, &t});
}

#endif
