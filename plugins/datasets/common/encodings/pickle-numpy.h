// SPDX-License-Identifier: Apache-2.0
/* pickle-numpy.h: the objects of numpy and scipy in a pickle. */
#ifndef FORMATS_PICKLE_NUMPY_H
#define FORMATS_PICKLE_NUMPY_H

#include "array.h"
#include "pickle.h"

/* An ndarray of numbers; it borrows the pickle's bytes. `name` begins messages. CRU_BAD_INPUT: `v` (may be NULL) is
 * none, or a broken one. */
cru_status pickle_array(const pickle_value *v, const char *name, array *out, cru_error *err);

/* The items of an ndarray of objects, row by row: a PICKLE_LIST. NULL when `v` is none. */
const pickle_value *pickle_objects(const pickle_value *v);

/* The parts of a scipy csr_matrix, not yet checked against one another. */
typedef struct csr_arrays {
    int64_t rows, cols;
    array indptr, indices, data;
} csr_arrays;
cru_status pickle_csr(const pickle_value *v, const char *name, csr_arrays *out, cru_error *err);

#endif
