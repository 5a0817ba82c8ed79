// SPDX-License-Identifier: Apache-2.0
/* Sparse times sparse, by rows (Gustavson): row i of A B is the sum of rows of B picked by row i of A. Each thread
 * keeps one dense accumulator of B's width. Two passes: count, then fill. */
#include <omp.h>
#include <stdlib.h>

#include <crucible/draft/csr.h>

#include "memory/heap.h"
#include "sparse/draft.h"
#include "sparse/sort.h"

/* A set of columns with a sum each; `stamp` marks those that belong to the current row. */
typedef struct accumulator {
    int64_t *stamp;
    double *sum;
    uint64_t *found; /* 2 * cols: the columns of the row, and room to sort them */
} accumulator;

static accumulator accumulator_create(int64_t cols, bool sums)
{
    return (accumulator){heap_alloc(cols, sizeof(int64_t)), sums ? heap_alloc(cols, sizeof(double)) : NULL,
                         heap_alloc(2 * cols, sizeof(uint64_t))};
}

static void accumulator_destroy(accumulator *acc)
{
    free(acc->stamp);
    free(acc->sum);
    free(acc->found);
}

/* Collects row i; returns the number of columns. `stamp` must differ from all earlier ones of this accumulator. */
static int64_t collect(accumulator *acc, const cru_csr *a, const cru_csr *b, int64_t i, int64_t stamp)
{
    int64_t count = 0;
    for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) {
        double weight = csr_value(a, e);
        for (int64_t f = b->offsets[a->ids[e]]; f < b->offsets[a->ids[e] + 1]; f++) {
            int32_t col = b->ids[f];
            if (acc->stamp[col] != stamp) {
                acc->stamp[col] = stamp;
                acc->found[count++] = (uint64_t)col;
                if (acc->sum) acc->sum[col] = 0;
            }
            if (acc->sum) acc->sum[col] += weight * csr_value(b, f);
        }
    }
    return count;
}

static void write_row(accumulator *acc, const draft *d, int64_t row, int64_t count)
{
    sort_u64(acc->found, count, acc->found + d->cols);
    for (int64_t j = 0, out = d->offsets[row]; j < count; j++, out++) {
        d->ids[out] = (int32_t)acc->found[j];
        if (d->values) d->values[out] = (float)acc->sum[acc->found[j]];
    }
}

static cru_csr multiply(cru_pool pool, const cru_csr *a, const cru_csr *b, bool with_values)
{
    cru_assert(a->cols == b->rows, "product: %lld columns against %lld rows", (long long)a->cols, (long long)b->rows);
    draft d = draft_begin(pool, a->rows, b->cols);
    int threads = omp_get_max_threads();
    accumulator *accs = heap_alloc(threads, sizeof *accs);
    for (int t = 0; t < threads; t++) accs[t] = accumulator_create(b->cols, with_values);
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++) d.offsets[i + 1] = collect(&accs[omp_get_thread_num()], a, b, i, i + 1);
    draft_entries(&d, with_values);
#pragma omp parallel for schedule(dynamic, 256) num_threads(threads)
    for (int64_t i = 0; i < a->rows; i++) {
        accumulator *acc = &accs[omp_get_thread_num()];
        write_row(acc, &d, i, collect(acc, a, b, i, -i - 1));
    }
    for (int t = 0; t < threads; t++) accumulator_destroy(&accs[t]);
    free(accs);
    return draft_done(&d);
}

cru_csr cru_csr_product(cru_pool pool, const cru_csr *a, const cru_csr *b)
{
    return multiply(pool, a, b, true);
}

cru_csr cru_csr_pattern_product(cru_pool pool, const cru_csr *a, const cru_csr *b)
{
    return multiply(pool, a, b, false);
}
