// SPDX-License-Identifier: Apache-2.0
/* Entries ranked within their rows. */
#include <stdlib.h>

#include <crucible/csr.h>
#include <crucible/draft/csr.h>

#include "memory/heap.h"

typedef struct keyed {
    double key;
    int64_t entry;
} keyed;

static int by_key(const void *a, const void *b)
{
    const keyed *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return (x->entry > y->entry) - (x->entry < y->entry);
}

static int64_t longest_row(const cru_csr *a)
{
    int64_t longest = 0;
    for (int64_t v = 0; v < a->rows; v++) {
        const int64_t length = a->offsets[v + 1] - a->offsets[v];
        if (length > longest) longest = length;
    }
    return longest;
}

void cru_csr_row_places(const cru_csr *a, const double *key, int32_t *place)
{
    keyed *row = heap_alloc(key ? longest_row(a) : 0, sizeof *row);
    for (int64_t v = 0; v < a->rows; v++) {
        const int64_t first = a->offsets[v], count = a->offsets[v + 1] - first;
        for (int64_t k = 0; !key && k < count; k++) place[first + k] = (int32_t)k;
        if (!key) continue;
        for (int64_t k = 0; k < count; k++) row[k] = (keyed){key[first + k], first + k};
        qsort(row, (size_t)count, sizeof *row, by_key);
        for (int64_t k = 0; k < count; k++) place[row[k].entry] = (int32_t)k;
    }
    free(row);
}
