// SPDX-License-Identifier: Apache-2.0
/* linalg.h: dense linear algebra in double, and the few factors of large matrices that methods need.
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

/* Inner product of two rows of features, dense or sparse. */
CRU_API double cru_features_dot(const cru_features *x, int64_t i, int64_t j);

/* Some rows of features in their order, dense; all of them when `items` is NULL, then without a copy if they are. */
CRU_API cru_dense cru_features_rows(cru_pool pool, const cru_features *x, const cru_ids *items);

/* ---- small and dense, in double -------------------------------------------------------------------------------- */

/* LU with row pivoting, reusable for several right-hand sides. `lu` is n x n, factored in place; `pivot` has n. */
CRU_API cru_status cru_lu_factor(double *lu, int32_t *pivot, int64_t n, cru_error *err);
/* Solves in place for `count` right-hand sides: b is n x count. */
CRU_API void cru_lu_solve(const double *lu, const int32_t *pivot, int64_t n, double *b, int64_t count);

/* a <- a^-1, n x n. */
CRU_API cru_status cru_inverse(double *a, int64_t n, cru_error *err);

/* A = L L^T for a symmetric positive definite a (its lower triangle is read); L replaces it, the upper triangle is
 * zeroed. */
CRU_API cru_status cru_cholesky(double *a, int64_t n, cru_error *err);
/* Solves L L^T x = b in place for `count` right-hand sides. */
CRU_API void cru_cholesky_solve(const double *l, int64_t n, double *b, int64_t count);

/* All eigenpairs of a symmetric matrix, ascending. a (n x n) is replaced by the eigenvectors as rows: row i belongs to
 * values[i]. */
CRU_API cru_status cru_eigen_symmetric(double *a, int64_t n, double *values, cru_error *err);

/* A = U diag(s) V^T with r = min(rows, cols), s descending. u: rows x r, s: r, vt: r x cols; u and vt may be NULL. */
typedef struct cru_svd {
    double *u, *s, *vt;
} cru_svd;
CRU_API cru_status cru_svd_dense(const double *a, int64_t rows, int64_t cols, const cru_svd *out, cru_error *err);

/* Moore-Penrose inverse, out: cols x rows. Singular values <= cutoff * the largest count as 0. */
typedef struct cru_shape {
    int64_t rows, cols;
} cru_shape;
CRU_API cru_status cru_pseudo_inverse(const double *a, cru_shape shape, double cutoff, double *out, cru_error *err);

/* out = e^a, n x n, by scaling and squaring with a Pade approximant. */
CRU_API cru_status cru_matrix_exp(const double *a, int64_t n, double *out, cru_error *err);

/* ---- large: the leading factors -------------------------------------------------------------------------------- */

/* The k leading singular triplets of a dense or sparse matrix by randomised subspace iteration. u: rows x k and v: cols
 * x k (either may be NULL), s: k descending. oversample and rounds: 0 means 10 and 4. k <= min(rows, cols). */
typedef struct cru_svd_options {
    int64_t k;
    int32_t oversample, rounds;
} cru_svd_options;
typedef struct cru_factors {
    float *u, *s, *v;
} cru_factors;
CRU_API cru_status cru_svd_truncated(const cru_features *a, const cru_svd_options *options, cru_rng *rng,
                                     const cru_factors *out, cru_error *err);

/* k eigenpairs of a symmetric sparse matrix by block Lanczos with full reorthogonalisation and restarts: the largest,
 * descending, or the smallest, ascending. Fails with CRU_FAILED when it does not converge to `tolerance` (0 means 1e-8,
 * relative to the largest magnitude). */
typedef enum cru_spectrum_end { CRU_LARGEST, CRU_SMALLEST } cru_spectrum_end;
typedef struct cru_eigen_options {
    int64_t k;
    cru_spectrum_end end;
    double tolerance;
} cru_eigen_options;
typedef struct cru_eigenpairs {
    double *values;  /* k */
    double *vectors; /* rows x k, column i belongs to values[i]; may be NULL */
} cru_eigenpairs;
CRU_API cru_status cru_eigen_sparse(const cru_csr *a, const cru_eigen_options *options, cru_rng *rng,
                                    const cru_eigenpairs *out, cru_error *err);

#ifdef __cplusplus
}
#endif
#endif
