// SPDX-License-Identifier: Apache-2.0
/* Reading a sparse matrix: where an entry is, sums, dense form. */
#include <stdlib.h>
#include <string.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/union.h"

void cru_csr_entry_rows(const cru_csr *a, int32_t *row)
{
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) row[e] = (int32_t)i;
}

int64_t cru_csr_find(const cru_csr *a, int64_t row, int32_t col)
{
    int64_t lo = a->offsets[row], end = a->offsets[row + 1], hi = end;
    while (lo < hi) {
        int64_t mid = lo + (hi - lo) / 2;
        if (a->ids[mid] < col)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < end && a->ids[lo] == col ? lo : -1;
}

void cru_csr_row_sums(const cru_csr *a, double *sum)
{
#pragma omp parallel for schedule(static) if (a->rows >= SHARED_FROM)
    for (int64_t i = 0; i < a->rows; i++) {
        double s = 0;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) s += csr_value(a, e);
        sum[i] = s;
    }
}

/* Serial: adding in row order is what makes the sum the same for any number of threads. */
void cru_csr_col_sums(const cru_csr *a, double *sum)
{
    memset(sum, 0, (size_t)a->cols * sizeof *sum);
    int64_t nnz = cru_csr_nnz(a);
    for (int64_t e = 0; e < nnz; e++) sum[a->ids[e]] += csr_value(a, e);
}

cru_csr cru_csr_from_dense(cru_pool pool, const float *dense, int64_t rows, int64_t cols)
{
    draft d = draft_begin(pool, rows, cols);
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < cols; j++) d.offsets[i + 1] += dense[i * cols + j] != 0;
    draft_entries(&d, true);
    for (int64_t i = 0; i < rows; i++) {
        int64_t out = d.offsets[i];
        for (int64_t j = 0; j < cols; j++) {
            float value = dense[i * cols + j];
            if (value == 0) continue;
            d.ids[out] = (int32_t)j;
            d.values[out++] = value;
        }
    }
    return draft_done(&d);
}

void cru_csr_to_dense(const cru_csr *a, float *dense)
{
    memset(dense, 0, (size_t)(a->rows * a->cols) * sizeof *dense);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) dense[i * a->cols + a->ids[e]] += csr_value(a, e);
}

/* How often an id is not larger than the one before. Blocks of a fixed length become vector code. */
static int64_t count_falls(const int32_t *ids, int64_t count)
{
    enum { BLOCK = 256 };
    int64_t all = 0, e = 1;
    for (; count - e >= BLOCK; e += BLOCK) {
        int32_t falls = 0;
        for (int i = 0; i < BLOCK; i++) falls += ids[e + i] <= ids[e + i - 1];
        all += falls;
    }
    for (; e < count; e++) all += ids[e] <= ids[e - 1];
    return all;
}

/* Falls inside of rows are all falls without those from one row to the next. */
bool csr_is_strict(const cru_csr *a)
{
    int64_t falls = count_falls(a->ids, cru_csr_nnz(a));
    for (int64_t i = 0; i < a->rows; i++) {
        const int64_t first = a->offsets[i];
        if (first > 0 && first < a->offsets[i + 1]) falls -= a->ids[first] <= a->ids[first - 1];
    }
    return falls == 0;
}

bool csr_is_mirrored(const cru_csr *a)
{
    int64_t *next = heap_alloc(a->rows, sizeof *next); /* in each row, the first entry that has met no partner */
    bool same = true;
    for (int64_t i = 0; i < a->rows; i++) next[i] = a->offsets[i];
    for (int64_t i = 0; same && i < a->rows; i++) {
        for (int64_t e = a->offsets[i]; same && e < a->offsets[i + 1]; e++) {
            const int64_t partner = next[a->ids[e]]++;
            same = partner < a->offsets[a->ids[e] + 1] && a->ids[partner] == i &&
                   (!a->values || a->values[partner] == a->values[e]);
        }
    }
    free(next);
    return same;
}

cru_csr csr_diagonal(cru_pool pool, const float *diagonal, int64_t n)
{
    draft d = draft_begin(pool, n, n);
    for (int64_t i = 0; i < n; i++) d.offsets[i + 1] = 1;
    draft_entries(&d, diagonal != NULL);
    for (int64_t i = 0; i < n; i++) {
        d.ids[i] = (int32_t)i;
        if (diagonal) d.values[i] = diagonal[i];
    }
    return draft_done(&d);
}
