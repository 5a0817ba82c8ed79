// SPDX-License-Identifier: Apache-2.0
/* draft/linalg.h: factorisations of small matrices in double, and the leading factors of large ones. Continues
 * linalg.h. */
#ifndef CRUCIBLE_DRAFT_LINALG_H
#define CRUCIBLE_DRAFT_LINALG_H

#include <crucible/linalg.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Some rows of features in their order, dense; all of them when `items` is NULL, then without a copy if they are. */
CRU_API cru_dense cru_features_rows(cru_pool pool, const cru_features *x, const cru_ids *items);

/* ---- small and dense, in double -------------------------------------------------------------------------------- */

/* LU with row pivoting, reusable for several right-hand sides. `lu` is n x n, factored in place; `pivot` has n. */
CRU_API cru_status cru_lu_factor(double *lu, int32_t *pivot, int64_t n, cru_error *err);

/* Solves in place for `count` right-hand sides: b is n x count. */
CRU_API void cru_lu_solve(const double *lu, const int32_t *pivot, int64_t n, double *b, int64_t count);

/* a <- a^-1, n x n. */
CRU_API cru_status cru_inverse(double *a, int64_t n, cru_error *err);

/* A = U diag(s) V^T with r = min(rows, cols), s descending. u: rows x r, s: r, vt: r x cols; u and vt may be NULL. */
typedef struct cru_svd {
    double *u, *s, *vt;
} cru_svd;
CRU_API cru_status cru_svd_dense(const double *a, int64_t rows, int64_t cols, const cru_svd *out, cru_error *err);

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
