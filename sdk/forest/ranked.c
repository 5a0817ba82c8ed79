// SPDX-License-Identifier: Apache-2.0
/* Columns in ranks: the one sort of a forest's values. */
#include <stdlib.h>

#include <crucible/draft/forest.h>

#include "forest/tree.h"
#include "memory/heap.h"
#include "sparse/sort.h"

/* Adds 0.0f, so that -0 and 0 are one value. */
static uint64_t key_of(const cru_dense *x, int64_t row, int64_t col)
{
    return (uint64_t)sort_float_key(x->values[row * x->cols + col] + 0.0f) << 32 | (uint64_t)row;
}

/* Ranks one column; returns the number of its distinct values, which go to `value`. */
static int64_t rank_column(const cru_dense *x, int64_t col, uint64_t *keys, int32_t *rank, float *value)
{
    for (int64_t i = 0; i < x->rows; i++) keys[i] = key_of(x, i, col);
    sort_u64(keys, x->rows, keys + x->rows);
    int64_t distinct = 0;
    for (int64_t i = 0; i < x->rows; i++) {
        const int64_t row = (int64_t)(keys[i] & 0xffffffffu);
        const float v = x->values[row * x->cols + col];
        if (i == 0 || keys[i] >> 32 != keys[i - 1] >> 32) value[distinct++] = v;
        rank[row] = (int32_t)(distinct - 1);
    }
    return distinct;
}

ranked ranked_create(const cru_samples *samples)
{
    const cru_dense *x = &samples->x;
    ranked r = {.samples = samples,
                .rank = heap_alloc(x->rows * x->cols, sizeof *r.rank),
                .value = heap_alloc(x->rows * x->cols, sizeof *r.value),
                .first = heap_alloc(x->cols + 1, sizeof *r.first)};
    uint64_t *keys = heap_alloc(2 * x->rows, sizeof *keys);
    for (int64_t c = 0; c < x->cols; c++) {
        int64_t distinct = rank_column(x, c, keys, r.rank + c * x->rows, r.value + r.first[c]);
        r.first[c + 1] = r.first[c] + distinct;
        if (distinct > r.widest) r.widest = distinct;
    }
    free(keys);
    return r;
}

void ranked_destroy(ranked *r)
{
    free(r->rank);
    free(r->value);
    free(r->first);
}
