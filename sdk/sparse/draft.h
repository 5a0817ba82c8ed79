// SPDX-License-Identifier: Apache-2.0
/* draft.h: a sparse matrix while it is written. Count entries into offsets[row + 1], call draft_entries, fill the rows
 * from offsets[row] on, and take the result. */
#ifndef CRU_SPARSE_DRAFT_H
#define CRU_SPARSE_DRAFT_H

#include <crucible/csr.h>

/* Rows from which on a loop is shared among threads: for fewer, waking them costs more than they save. */
enum { SHARED_FROM = 4096 };

typedef struct draft {
    cru_pool pool;
    int64_t rows, cols;
    int64_t *offsets;
    int32_t *ids;
    float *values; /* NULL: a pattern */
} draft;

draft draft_begin(cru_pool pool, int64_t rows, int64_t cols);

/* Turns counts in offsets[1..rows] into offsets and allocates ids and, if wanted, values. */
void draft_entries(draft *d, bool with_values);

cru_csr draft_done(const draft *d);

static inline float csr_value(const cru_csr *a, int64_t entry)
{
    return a->values ? a->values[entry] : 1.0f;
}

#endif
