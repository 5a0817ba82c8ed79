// SPDX-License-Identifier: Apache-2.0
#include <crucible/sparse.h>

#include "sparse/union.h"

static cru_status check_offsets(const cru_csr *a, const char *name, cru_error *err)
{
    if (a->offsets[0] != 0)
        return cru_fail(err, CRU_BAD_INPUT, "%s: offsets start at %lld, not at 0", name, (long long)a->offsets[0]);
    for (int64_t i = 0; i < a->rows; i++)
        if (a->offsets[i] > a->offsets[i + 1])
            return cru_fail(err, CRU_BAD_INPUT, "%s: offsets fall from %lld to %lld at row %lld", name,
                            (long long)a->offsets[i], (long long)a->offsets[i + 1], (long long)i);
    return CRU_OK;
}

static cru_status check_row(const cru_csr *a, int64_t row, const char *name, cru_error *err)
{
    int64_t last = -1;
    for (int64_t k = a->offsets[row]; k < a->offsets[row + 1]; k++) {
        int32_t id = a->ids[k];
        if (id < 0 || id >= a->cols)
            return cru_fail(err, CRU_BAD_INPUT, "%s: row %lld has id %d, outside 0..%lld", name, (long long)row, id,
                            (long long)a->cols - 1);
        if (id <= last)
            return cru_fail(err, CRU_BAD_INPUT, "%s: row %lld has id %d after %lld, not ascending", name,
                            (long long)row, id, (long long)last);
        last = id;
    }
    return CRU_OK;
}

/* Blocks of a fixed length and without a way out in the middle become vector code. */
static bool ids_in_range(const cru_csr *a)
{
    enum { BLOCK = 256 };
    const int32_t last = (int32_t)(a->cols - 1);
    const int64_t nnz = cru_csr_nnz(a);
    int32_t bad = 0;
    int64_t e = 0;
    for (; nnz - e >= BLOCK; e += BLOCK)
        for (int i = 0; i < BLOCK; i++) bad |= (a->ids[e + i] < 0) | (a->ids[e + i] > last);
    for (; e < nnz; e++) bad |= (a->ids[e] < 0) | (a->ids[e] > last);
    return !bad;
}

cru_status cru_csr_check(const cru_csr *a, const char *name, cru_error *err)
{
    if (a->rows < 0 || a->cols < 0 || a->cols > INT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld x %lld is not a possible shape", name, (long long)a->rows,
                        (long long)a->cols);
    if (!a->offsets) {
        if (a->rows == 0) return CRU_OK;
        return cru_fail(err, CRU_BAD_INPUT, "%s: %lld rows but no offsets", name, (long long)a->rows);
    }
    cru_status status = check_offsets(a, name, err);
    if (status) return status;
    if (cru_csr_nnz(a) > 0 && !a->ids) return cru_fail(err, CRU_BAD_INPUT, "%s: entries but no ids", name);
    if (ids_in_range(a) && csr_is_strict(a)) return CRU_OK;
    for (int64_t row = 0; row < a->rows; row++) /* which id is it? */
        if ((status = check_row(a, row, name, err))) return status;
    return CRU_OK;
}
