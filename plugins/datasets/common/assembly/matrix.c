// SPDX-License-Identifier: Apache-2.0
#include "matrix.h"

#include <math.h>
#include <string.h>

#include <crucible/csr.h>

#include "generate.h"

typedef struct entries {
    int64_t *offsets;
    int32_t *ids;
    float *values;
} entries;

static cru_status check_shapes(const csr_arrays *p, cru_error *err)
{
    if (p->rows < 0 || p->rows > INT32_MAX || p->cols < 0 || p->cols > INT32_MAX)
        return cru_fail(err, CRU_BAD_INPUT, "%s: a sparse matrix of impossible size", p->indptr.name);
    cru_status status = array_expect(&p->indptr, (array_form){1, p->rows + 1, -1}, err);
    if (!status) status = array_expect(&p->indices, (array_form){1, -1, -1}, err);
    if (!status) status = array_expect(&p->data, (array_form){1, p->indices.count, -1}, err);
    return status;
}

/* Offsets ascend from 0 to the number of entries. */
static cru_status read_offsets(const csr_arrays *p, int64_t *offsets, cru_error *err)
{
    int64_t last = 0, offset = 0;
    cru_status status = array_whole(&p->indptr, 0, (array_range){0, 0}, &offset, err);
    for (int64_t i = 0; i <= p->rows && !status; i++, last = offset) {
        status = array_whole(&p->indptr, i, (array_range){last, p->indices.count}, &offset, err);
        offsets[i] = offset;
    }
    if (!status && last != p->indices.count)
        return cru_fail(err, CRU_BAD_INPUT, "%s: the rows hold %lld of %lld entries", p->indptr.name, (long long)last,
                        (long long)p->indices.count);
    return status;
}

static cru_status read_entries(const csr_arrays *p, entries e, cru_error *err)
{
    cru_status status = read_offsets(p, e.offsets, err);
    if (!status) status = array_ids(&p->indices, (array_range){0, p->cols - 1}, e.ids, err);
    return status ? status : array_floats(&p->data, e.values, err);
}

static bool is_not_zero(void *user, int64_t row, int32_t col, float value)
{
    (void)user, (void)row, (void)col;
    return value != 0;
}

/* Drops zeros, and the values when all are 1. */
static cru_csr tidy(cru_pool pool, cru_csr a)
{
    bool zeros = false, ones = true;
    for (int64_t i = 0; a.values && i < cru_csr_nnz(&a); i++) {
        zeros = zeros || a.values[i] == 0;
        ones = ones && (a.values[i] == 1 || a.values[i] == 0);
    }
    if (zeros) a = cru_csr_filter(pool, &a, is_not_zero, NULL);
    return ones ? cru_csr_pattern(&a) : a;
}

/* Strictly ascending rows, none of whose values is 0: what most files hold, and what is wanted. */
static bool is_tidy(const cru_csr *a)
{
    bool sound = true;
    for (int64_t e = 0, count = cru_csr_nnz(a); e < count; e++) sound &= a->values[e] != 0;
    return sound && cru_csr_check(a, "", NULL) == CRU_OK;
}

static cru_csr without_ones(cru_csr a)
{
    bool ones = true;
    for (int64_t e = 0, count = cru_csr_nnz(&a); a.values && e < count; e++) ones &= a.values[e] == 1;
    return ones ? cru_csr_pattern(&a) : a;
}

cru_status matrix_csr(const csr_arrays *parts, cru_pool pool, cru_csr *out, cru_error *err)
{
    *out = (cru_csr){0};
    cru_status status = check_shapes(parts, err);
    if (status) return status;
    entries e = {cru_pool_alloc(pool, parts->rows + 1, sizeof *e.offsets),
                 cru_pool_alloc(pool, parts->indices.count, sizeof *e.ids),
                 cru_pool_alloc(pool, parts->indices.count, sizeof *e.values)};
    status = read_entries(parts, e, err);
    if (status) return status;
    *out = (cru_csr){parts->rows, parts->cols, e.offsets, e.ids, e.values};
    if (is_tidy(out)) {
        *out = without_ones(*out);
        return CRU_OK;
    }
    cru_csr merged = cru_csr_merge(pool, out, CRU_DUP_SUM);
    *out = tidy(pool, merged);
    return CRU_OK;
}

void matrix_sparse_features(cru_csr x, cru_data *data)
{
    data->x = (cru_features){.rows = x.rows, .cols = x.cols, .sparse = x};
}

cru_status matrix_store_features(const float *dense, int64_t cols, cru_data *data, cru_error *err)
{
    int64_t cells = data->nodes * cols, filled = 0;
    for (int64_t i = 0; i < cells; i++) filled += dense[i] != 0;
    if (filled < cells / 5) {
        cru_pool pool = cru_data_pool(data);
        matrix_sparse_features(tidy(pool, cru_csr_from_dense(pool, dense, data->nodes, cols)), data);
        return CRU_OK;
    }
    float *x = generate_dense(data, cols, err);
    if (!x) return CRU_NO_MEMORY;
    if (cells > 0) memcpy(x, dense, (size_t)cells * sizeof *x);
    return CRU_OK;
}

cru_status matrix_features(const array *dense, cru_data *data, cru_error *err)
{
    cru_status status = array_expect(dense, (array_form){2, data->nodes, -1}, err);
    if (status) return status;
    if (dense->shape[1] > INT32_MAX) return cru_fail(err, CRU_BAD_INPUT, "%s: too many columns", dense->name);
    cru_arena *arena = cru_arena_create();
    float *x = arena ? cru_arena_try(arena, dense->count, sizeof *x) : NULL;
    if (!x) status = cru_fail(err, CRU_NO_MEMORY, "%s: no memory for features", dense->name);
    if (!status) status = array_floats(dense, x, err);
    if (!status) status = matrix_store_features(x, dense->shape[1], data, err);
    cru_arena_destroy(arena);
    return status;
}
