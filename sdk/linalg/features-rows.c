// SPDX-License-Identifier: Apache-2.0
/* Rows of features as a dense matrix. */
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

static void spread_row(const cru_csr *x, int64_t v, float *row)
{
    for (int64_t e = x->offsets[v]; e < x->offsets[v + 1]; e++) row[x->ids[e]] = x->values ? x->values[e] : 1;
}

cru_dense cru_features_rows(cru_pool pool, const cru_features *x, const cru_ids *items)
{
    const int64_t count = items ? items->count : x->rows;
    if (!items && x->dense) return (cru_dense){count, x->cols, x->dense};
    float *rows = cru_pool_alloc(pool, count * x->cols, sizeof *rows); /* zeros */
    for (int64_t i = 0; i < count && x->cols; i++) {
        const int64_t v = items ? items->ids[i] : i;
        if (x->dense)
            memcpy(rows + i * x->cols, x->dense + v * x->cols, (size_t)x->cols * sizeof *rows);
        else
            spread_row(&x->sparse, v, rows + i * x->cols);
    }
    return (cru_dense){count, x->cols, rows};
}
