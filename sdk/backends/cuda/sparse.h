// SPDX-License-Identifier: Apache-2.0
/* sparse.h: products with CSR matrices on cuSPARSE, and what is kept of a matrix between them.
 *
 * cuSPARSE wants to look at a matrix once and may then multiply faster: it is given a descriptor for every kind and
 * width of product, with working memory that stays with it (a plan). All that is found out about a matrix is kept in
 * the device's state, known by the addresses of its arrays, until they may hold something else: memory was released,
 * or new contents arrived there. Structures reach the card in no other way. Values may change at any time; they are
 * told with every product. When there are more matrices than places, the one that was not used for longest goes. */
#ifndef CRUCIBLE_CUDA_SPARSE_H
#define CRUCIBLE_CUDA_SPARSE_H

#include "cuda.h"

/* A matrix with rows, kept from here on. `told` is its number of entries; 0: not told, then it is read from the card
 * when the matrix is new, which waits for the work before it. */
cuda_matrix *sparse_find(cru_device *device, const cru_csr &a, int64_t told);

/* Whether cuSPARSE can take it: not an empty one, nor one with entries beyond 32 bits or more than once in a place. */
bool sparse_fits(const cuda_matrix *m);

/* y = A x (+ y) */
void sparse_multiply(cru_device *device, cuda_matrix *m, const float *values, const cuda_product &p);

/* y = A^T x (+ y). `weights`: one for every entry, in the order of A; NULL: its own values, or ones. */
void sparse_multiply_turned(cru_device *device, cuda_matrix *m, const float *weights, const cuda_product &p);

/* s.y = s.scale (l r^T) at the entries of A (+ s.y), one head */
void sparse_sample(cru_device *device, cuda_matrix *m, const cru_sddmm_args &s);

#endif
