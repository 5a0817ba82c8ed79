// SPDX-License-Identifier: Apache-2.0
/* linalg.h: dense linear algebra in double. Further factorisations are in draft/linalg.h.
 *
 * Small dense matrices are row-major doubles owned by the caller. Factorisations come from LAPACK, which is opened when
 * first used; without it they return CRU_UNSUPPORTED. Solving, inverting and Cholesky need no LAPACK.
 * A matrix that is singular, not definite or not finite is CRU_FAILED with a message. Signs of eigenvectors and
 * singular vectors are fixed (the entry of largest magnitude of a left vector is positive), so that runs agree. */
#ifndef CRUCIBLE_LINALG_H
#define CRUCIBLE_LINALG_H

#include <crucible/csr.h>
#include <crucible/random.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A dense row-major matrix that somebody else owns. */
typedef struct cru_dense {
    int64_t rows, cols;
    const float *values;
} cru_dense;

/* Rows with a class each: what trees and other classical methods learn from; borrowed. */
typedef struct cru_samples {
    cru_dense x;           /* finite; rows below 2^31 */
    const int32_t *labels; /* one a row, below `classes` */
    const float *weights;  /* one a row, not negative; rows of weight 0 are left out. NULL: all 1 */
    int32_t classes;
} cru_samples;

/* ---- small and dense, in double -------------------------------------------------------------------------------- */

/* A = L L^T for a symmetric positive definite a (its lower triangle is read); L replaces it, the upper triangle is
 * zeroed. */
CRU_API cru_status cru_cholesky(double *a, int64_t n, cru_error *err);
/* Solves L L^T x = b in place for `count` right-hand sides. */
CRU_API void cru_cholesky_solve(const double *l, int64_t n, double *b, int64_t count);

/* All eigenpairs of a symmetric matrix, ascending. a (n x n) is replaced by the eigenvectors as rows: row i belongs to
 * values[i]. */
CRU_API cru_status cru_eigen_symmetric(double *a, int64_t n, double *values, cru_error *err);

/* Moore-Penrose inverse, out: cols x rows. Singular values <= cutoff * the largest count as 0. */
typedef struct cru_shape {
    int64_t rows, cols;
} cru_shape;
CRU_API cru_status cru_pseudo_inverse(const double *a, cru_shape shape, double cutoff, double *out, cru_error *err);

/* ---- rows of features ------------------------------------------------------------------------------------------ */

/* Inner product of two rows of features, dense or sparse. */
CRU_API double cru_features_dot(const cru_features *x, int64_t i, int64_t j);

/* Labels of nodes whose features are one-hot: the column where a row is largest, the first of equals, 0 where nothing
 * is positive. In the pool. */
CRU_API int32_t *cru_one_hot_labels(cru_pool pool, const cru_features *x);

#ifdef __cplusplus
}
#endif
#endif
