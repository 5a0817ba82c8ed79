// SPDX-License-Identifier: Apache-2.0
/* Building rows out of unordered entries: a counting sort by row, then each row is sorted and its duplicates
 * treated. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

/* Rows as they came: entries in input order, any column order. */
typedef struct loose_rows {
    int64_t rows, cols;
    const int64_t *offsets;
    int32_t *ids;
    float *values; /* or NULL */
} loose_rows;

static int64_t longest_row(const int64_t *offsets, int64_t rows)
{
    int64_t longest = 0;
    for (int64_t i = 0; i < rows; i++)
        if (offsets[i + 1] - offsets[i] > longest) longest = offsets[i + 1] - offsets[i];
    return longest;
}

static bool ascends(const int32_t *ids, int64_t n)
{
    for (int64_t i = 1; i < n; i++)
        if (ids[i] < ids[i - 1]) return false;
    return true;
}

/* Scratch for one row of one thread: 2 n keys and n values. */
typedef struct row_scratch {
    uint64_t *keys;
    float *values;
    int64_t room;
} row_scratch;

/* Stable: the position in the row is part of the key. */
static void sort_row(int32_t *ids, float *values, int64_t n, const row_scratch *scratch)
{
    if (ascends(ids, n)) return;
    uint64_t *keys = scratch->keys;
    for (int64_t i = 0; i < n; i++) keys[i] = (uint64_t)(uint32_t)ids[i] << 32 | (uint64_t)i;
    sort_u64(keys, n, keys + scratch->room);
    if (values) memcpy(scratch->values, values, (size_t)n * sizeof *values);
    for (int64_t i = 0; i < n; i++) {
        ids[i] = (int32_t)(keys[i] >> 32);
        if (values) values[i] = scratch->values[keys[i] & UINT32_MAX];
    }
}

static void sort_rows(const loose_rows *r)
{
    int64_t room = longest_row(r->offsets, r->rows);
    int threads = omp_get_max_threads();
    uint64_t *keys = heap_alloc(2 * room * threads, sizeof *keys);
    float *values = heap_alloc(room * threads, sizeof *values);
#pragma omp parallel for schedule(dynamic, 1024) num_threads(threads) if (r->rows >= SHARED_FROM)
    for (int64_t i = 0; i < r->rows; i++) {
        int64_t at = r->offsets[i], me = omp_get_thread_num();
        row_scratch scratch = {keys + 2 * room * me, values + room * me, room};
        sort_row(r->ids + at, r->values ? r->values + at : NULL, r->offsets[i + 1] - at, &scratch);
    }
    free(keys);
    free(values);
}

static int64_t distinct(const int32_t *ids, int64_t n)
{
    int64_t count = n > 0;
    for (int64_t i = 1; i < n; i++) count += ids[i] != ids[i - 1];
    return count;
}

/* One value for a run of equal entries. */
static float merge_run(const float *values, int64_t n, cru_duplicates rule)
{
    if (!values) return rule == CRU_DUP_SUM ? (float)n : 1.0f;
    double value = values[0];
    for (int64_t i = 1; i < n; i++) {
        if (rule == CRU_DUP_SUM) value += values[i];
        if (rule == CRU_DUP_MAX && values[i] > value) value = values[i];
    }
    return (float)value;
}

static void write_row(const loose_rows *r, int64_t row, cru_duplicates rule, const draft *d)
{
    int64_t out = d->offsets[row], end = r->offsets[row + 1];
    for (int64_t e = r->offsets[row], next; e < end; e = next) {
        next = e + 1;
        while (rule != CRU_DUP_KEEP && next < end && r->ids[next] == r->ids[e]) next++;
        d->ids[out] = r->ids[e];
        if (d->values) d->values[out] = merge_run(r->values ? r->values + e : NULL, next - e, rule);
        out++;
    }
}

/* Sorted rows -> the result. */
static cru_csr merge_rows(cru_pool pool, const loose_rows *r, cru_duplicates rule)
{
    sort_rows(r);
    draft d = draft_begin(pool, r->rows, r->cols);
#pragma omp parallel for schedule(static) if (r->rows >= SHARED_FROM)
    for (int64_t i = 0; i < r->rows; i++) {
        int64_t n = r->offsets[i + 1] - r->offsets[i];
        d.offsets[i + 1] = rule == CRU_DUP_KEEP ? n : distinct(r->ids + r->offsets[i], n);
    }
    int64_t kept = 0;
    for (int64_t i = 0; i < r->rows; i++) kept += d.offsets[i + 1];
    bool counts = rule == CRU_DUP_SUM && kept < r->offsets[r->rows];
    draft_entries(&d, r->values || counts);
#pragma omp parallel for schedule(dynamic, 1024) if (r->rows >= SHARED_FROM)
    for (int64_t i = 0; i < r->rows; i++) write_row(r, i, rule, &d);
    return draft_done(&d);
}

static int64_t *count_rows(const cru_coo *entries)
{
    int64_t *offsets = heap_alloc(entries->rows + 1, sizeof *offsets);
    for (int64_t e = 0; e < entries->count; e++) {
        int32_t row = entries->row[e], col = entries->col[e];
        cru_assert(row >= 0 && row < entries->rows && col >= 0 && col < entries->cols,
                   "entry %lld at (%d, %d) of a %lld x %lld matrix", (long long)e, row, col, (long long)entries->rows,
                   (long long)entries->cols);
        offsets[row + 1]++;
    }
    for (int64_t i = 0; i < entries->rows; i++) offsets[i + 1] += offsets[i];
    return offsets;
}

cru_csr cru_csr_from_coo(cru_pool pool, const cru_coo *entries, cru_duplicates rule)
{
    int64_t *offsets = count_rows(entries);
    int64_t *next = heap_alloc(entries->rows, sizeof *next);
    memcpy(next, offsets, (size_t)entries->rows * sizeof *next);
    int32_t *ids = heap_alloc(entries->count, sizeof *ids);
    float *values = entries->values ? heap_alloc(entries->count, sizeof *values) : NULL;
    for (int64_t e = 0; e < entries->count; e++) {
        int64_t at = next[entries->row[e]]++;
        ids[at] = entries->col[e];
        if (values) values[at] = entries->values[e];
    }
    loose_rows rows = {entries->rows, entries->cols, offsets, ids, values};
    cru_csr result = merge_rows(pool, &rows, rule);
    free(values);
    free(ids);
    free(next);
    free(offsets);
    return result;
}

cru_csr cru_csr_merge(cru_pool pool, const cru_csr *a, cru_duplicates rule)
{
    int64_t nnz = cru_csr_nnz(a), none = 0;
    int32_t *ids = heap_alloc(nnz, sizeof *ids);
    float *values = a->values ? heap_alloc(nnz, sizeof *values) : NULL;
    if (nnz) memcpy(ids, a->ids, (size_t)nnz * sizeof *ids);
    if (nnz && values) memcpy(values, a->values, (size_t)nnz * sizeof *values);
    loose_rows rows = {a->offsets ? a->rows : 0, a->cols, a->offsets ? a->offsets : &none, ids, values};
    cru_csr result = merge_rows(pool, &rows, rule);
    free(values);
    free(ids);
    return result;
}
