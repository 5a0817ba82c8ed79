// SPDX-License-Identifier: Apache-2.0
/* sparse.h: a sparse matrix as kernels see it, in the memory of the device. Copies are made on first use and live as
 * long as the matrix: with the context, or until the end of the step. On the CPU nothing is copied. */
#ifndef SDK_TENSOR_SPARSE_H
#define SDK_TENSOR_SPARSE_H

#include <crucible/tensor.h>

cru_csr sparse_csr(cru_sparse *a);
cru_csr sparse_transposed(cru_sparse *a);
cru_csr sparse_mirrored(cru_sparse *a); /* of cru_sparse_mirrored */

/* transposed entry -> position in the matrix */
const int64_t *sparse_entry(cru_sparse *a);

#endif
