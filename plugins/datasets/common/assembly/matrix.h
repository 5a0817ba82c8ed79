// SPDX-License-Identifier: Apache-2.0
/* matrix.h: matrices from files as features, graphs and labels of the data. Everything is checked on the way. */
#ifndef FORMATS_MATRIX_H
#define FORMATS_MATRIX_H

#include <crucible/plugin.h>
#include <crucible/pool.h>

#include "array.h"
#include "pickle-numpy.h"

/* A sparse matrix with sorted rows; entries that are listed twice are added, stored zeros are dropped, and `values` is
 * NULL when all are 1. CRU_BAD_INPUT: parts that do not fit together, ids out of range, values that are not finite. */
cru_status matrix_csr(const csr_arrays *parts, cru_pool pool, cru_csr *out, cru_error *err);

/* data->x from a dense matrix; it is stored sparse when fewer than one in five numbers is not zero. data->nodes
 * rows. */
cru_status matrix_features(const array *dense, cru_data *data, cru_error *err);

/* matrix_features from numbers row by row. */
cru_status matrix_store_features(const float *dense, int64_t cols, cru_data *data, cru_error *err);

/* Sets data->x to a sparse matrix. */
void matrix_sparse_features(cru_csr x, cru_data *data);

#endif
