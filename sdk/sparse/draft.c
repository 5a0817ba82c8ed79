// SPDX-License-Identifier: Apache-2.0
#include "sparse/draft.h"

draft draft_begin(cru_pool pool, int64_t rows, int64_t cols)
{
    cru_assert(rows >= 0 && cols >= 0 && rows <= INT32_MAX && cols <= INT32_MAX, "sparse matrix: %lld x %lld",
               (long long)rows, (long long)cols);
    draft d = {.pool = pool, .rows = rows, .cols = cols};
    d.offsets = cru_pool_alloc(pool, rows + 1, sizeof *d.offsets);
    return d;
}

void draft_entries(draft *d, bool with_values)
{
    for (int64_t i = 0; i < d->rows; i++) d->offsets[i + 1] += d->offsets[i];
    int64_t count = d->offsets[d->rows];
    d->ids = cru_pool_alloc(d->pool, count, sizeof *d->ids);
    if (with_values) d->values = cru_pool_alloc(d->pool, count, sizeof *d->values);
}

cru_csr draft_done(const draft *d)
{
    return (cru_csr){.rows = d->rows, .cols = d->cols, .offsets = d->offsets, .ids = d->ids, .values = d->values};
}
