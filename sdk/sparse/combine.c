// SPDX-License-Identifier: Apache-2.0
/* Row-wise combinations: scale, add, filter, subtract patterns, pick rows. */
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/csr.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"
#include "sparse/union.h"

static void check_same_shape(const char *what, const cru_csr *a, const cru_csr *b)
{
    cru_assert(a->rows == b->rows && a->cols == b->cols, "%s: %lld x %lld against %lld x %lld", what,
               (long long)a->rows, (long long)a->cols, (long long)b->rows, (long long)b->cols);
}

cru_csr cru_csr_scale(cru_pool pool, const cru_csr *a, const double *left, const double *right)
{
    cru_csr result = *a;
    float *values = cru_pool_alloc(pool, cru_csr_nnz(a), sizeof *values);
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) {
        double l = left ? left[i] : 1;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
            values[e] = (float)(l * (right ? right[a->ids[e]] : 1) * csr_value(a, e)); /* symmetric stays symmetric */
    }
    result.values = values;
    return result;
}

/* Entries of the union of two sorted rows; writes them when d is not NULL. */
static int64_t union_row(const cru_csr *a, const cru_csr *b, int64_t row, const csr_union_rule *rule, const draft *d)
{
    int64_t i = a->offsets[row], ei = a->offsets[row + 1];
    int64_t j = b->offsets[row], ej = b->offsets[row + 1];
    int64_t count = 0, out = d ? d->offsets[row] : 0;
    while (i < ei || j < ej) {
        bool in_a = i < ei && (j == ej || a->ids[i] <= b->ids[j]);
        bool in_b = j < ej && (i == ei || b->ids[j] <= a->ids[i]);
        int32_t col = in_a ? a->ids[i] : b->ids[j];
        if (d) d->ids[out + count] = col;
        if (d && d->values) {
            csr_union_place place = {row, col, in_a, in_b, in_a ? csr_value(a, i) : 0, in_b ? csr_value(b, j) : 0};
            d->values[out + count] = (float)rule->value(rule->user, &place);
        }
        i += in_a;
        j += in_b;
        count++;
    }
    return count;
}

cru_csr csr_union(cru_pool pool, const cru_csr *a, const cru_csr *b, const csr_union_rule *rule)
{
    draft d = draft_begin(pool, a->rows, a->cols);
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) d.offsets[i + 1] = union_row(a, b, i, rule, NULL);
    draft_entries(&d, rule->value != NULL);
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) union_row(a, b, i, rule, &d);
    return draft_done(&d);
}

static double weighted_sum(void *user, const csr_union_place *p)
{
    const double *weight = user;
    return (p->in_a ? weight[0] * p->a : 0) + (p->in_b ? weight[1] * p->b : 0);
}

cru_csr cru_csr_add(cru_pool pool, const cru_csr *a, double alpha, const cru_csr *b, double beta)
{
    check_same_shape("add", a, b);
    double weights[2] = {alpha, beta};
    return csr_union(pool, a, b, &(csr_union_rule){weighted_sum, weights});
}

/* Copies entry e of `a` to place `out` of the draft. */
static void copy_entry(const draft *d, int64_t out, const cru_csr *a, int64_t e)
{
    d->ids[out] = a->ids[e];
    if (d->values) d->values[out] = a->values[e];
}

cru_csr cru_csr_select(cru_pool pool, const cru_csr *a, const uint8_t *mask)
{
    draft d = draft_begin(pool, a->rows, a->cols);
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t count = 0;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) count += mask[e] != 0;
        d.offsets[i + 1] = count;
    }
    draft_entries(&d, a->values != NULL);
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t out = d.offsets[i];
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++)
            if (mask[e]) copy_entry(&d, out++, a, e);
    }
    return draft_done(&d);
}

cru_csr cru_csr_filter(cru_pool pool, const cru_csr *a, cru_csr_keep *keep, void *user)
{
    uint8_t *mask = heap_alloc(cru_csr_nnz(a), sizeof *mask);
#pragma omp parallel for schedule(dynamic, 1024) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) mask[e] = keep(user, i, a->ids[e], csr_value(a, e));
    cru_csr result = cru_csr_select(pool, a, mask);
    free(mask);
    return result;
}

cru_csr cru_csr_without(cru_pool pool, const cru_csr *a, const cru_csr *b)
{
    check_same_shape("without", a, b);
    uint8_t *mask = heap_alloc(cru_csr_nnz(a), sizeof *mask);
#pragma omp parallel for schedule(dynamic, 1024) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t j = b->offsets[i], end = b->offsets[i + 1];
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
            while (j < end && b->ids[j] < a->ids[e]) j++;
            mask[e] = j == end || b->ids[j] != a->ids[e];
        }
    }
    cru_csr result = cru_csr_select(pool, a, mask);
    free(mask);
    return result;
}

/* Marks the k largest of a row. Keys order by value descending, then id ascending (position in an ascending row). */
static void mark_top(const cru_csr *a, int64_t row, int64_t k, uint8_t *mask)
{
    int64_t at = a->offsets[row], n = a->offsets[row + 1] - at;
    if (n <= k) {
        memset(mask + at, 1, (size_t)n);
        return;
    }
    uint64_t *keys = heap_alloc(2 * n, sizeof *keys);
    for (int64_t i = 0; i < n; i++) keys[i] = (uint64_t)~sort_float_key(csr_value(a, at + i)) << 32 | (uint64_t)i;
    sort_u64(keys, n, keys + n);
    for (int64_t i = 0; i < k; i++) mask[at + (int64_t)(keys[i] & UINT32_MAX)] = 1;
    free(keys);
}

cru_csr cru_csr_top_k(cru_pool pool, const cru_csr *a, int64_t k)
{
    uint8_t *mask = heap_alloc(cru_csr_nnz(a), sizeof *mask);
#pragma omp parallel for schedule(dynamic, 64) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) mark_top(a, i, k, mask);
    cru_csr result = cru_csr_select(pool, a, mask);
    free(mask);
    return result;
}

cru_csr cru_csr_rows(cru_pool pool, const cru_csr *a, const int32_t *ids, int64_t count)
{
    draft d = draft_begin(pool, count, a->cols);
    for (int64_t i = 0; i < count; i++) {
        cru_assert(ids[i] >= 0 && ids[i] < a->rows, "rows: %d of %lld", ids[i], (long long)a->rows);
        d.offsets[i + 1] = a->offsets[ids[i] + 1] - a->offsets[ids[i]];
    }
    draft_entries(&d, a->values != NULL);
#pragma omp parallel for schedule(static) if (count >= SHARED_FROM)
    for (int64_t i = 0; i < count; i++)
        for (int64_t e = a->offsets[ids[i]], out = d.offsets[i]; e < a->offsets[ids[i] + 1]; e++)
            copy_entry(&d, out++, a, e);
    return draft_done(&d);
}
