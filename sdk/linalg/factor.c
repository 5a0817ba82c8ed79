// SPDX-License-Identifier: Apache-2.0
/* Eigenpairs, singular values and the pseudo-inverse of dense matrices, by LAPACK. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "linalg/lapack.h"
#include "memory/heap.h"

static cru_status check_finite(const char *what, const double *a, int64_t count, cru_error *err)
{
    for (int64_t i = 0; i < count; i++)
        if (!isfinite(a[i])) return cru_fail(err, CRU_FAILED, "%s: the matrix is not finite", what);
    return CRU_OK;
}

/* Whether the entry of largest magnitude (the first of equals) of a strided vector is negative. */
static bool points_down(const double *v, int64_t n, int64_t stride)
{
    int64_t best = 0;
    for (int64_t i = 1; i < n; i++)
        if (fabs(v[i * stride]) > fabs(v[best * stride])) best = i;
    return n && v[best * stride] < 0;
}

static void negate(double *v, int64_t n, int64_t stride)
{
    for (int64_t i = 0; i < n; i++) v[i * stride] = -v[i * stride];
}

cru_status cru_eigen_symmetric(double *a, int64_t n, double *values, cru_error *err)
{
    const lapack *library = lapack_open(err);
    if (!library) return CRU_UNSUPPORTED;
    cru_status status = check_finite("eigenvalues", a, n * n, err);
    if (status || n == 0) return status;
    double *columns = heap_alloc(n * n, sizeof *columns);
    memcpy(columns, a, (size_t)(n * n) * sizeof *a);
    int32_t info = library->dsyevd(LAPACK_ROWS, 'V', 'L', (int32_t)n, columns, (int32_t)n, values);
    if (info) status = cru_fail(err, CRU_FAILED, "eigenvalues: no convergence (%d)", info);
    for (int64_t i = 0; info == 0 && i < n; i++) {
        for (int64_t j = 0; j < n; j++) a[i * n + j] = columns[j * n + i];
        if (points_down(a + i * n, n, 1)) negate(a + i * n, n, 1);
    }
    free(columns);
    return status;
}

cru_status cru_svd_dense(const double *a, int64_t rows, int64_t cols, const cru_svd *out, cru_error *err)
{
    const lapack *library = lapack_open(err);
    if (!library) return CRU_UNSUPPORTED;
    int64_t r = rows < cols ? rows : cols;
    cru_status status = check_finite("singular values", a, rows * cols, err);
    if (status || r == 0) return status;
    double *copy = heap_alloc(rows * cols, sizeof *copy);
    double *u = heap_alloc(rows * r, sizeof *u), *vt = heap_alloc(r * cols, sizeof *vt);
    memcpy(copy, a, (size_t)(rows * cols) * sizeof *copy);
    int32_t info = library->dgesdd(LAPACK_ROWS, 'S', (int32_t)rows, (int32_t)cols, copy, (int32_t)cols, out->s, u,
                                   (int32_t)r, vt, (int32_t)cols);
    if (info) status = cru_fail(err, CRU_FAILED, "singular values: no convergence (%d)", info);
    for (int64_t i = 0; info == 0 && i < r; i++) {
        if (!points_down(u + i, rows, r)) continue;
        negate(u + i, rows, r);
        negate(vt + i * cols, cols, 1);
    }
    if (out->u) memcpy(out->u, u, (size_t)(rows * r) * sizeof *u);
    if (out->vt) memcpy(out->vt, vt, (size_t)(r * cols) * sizeof *vt);
    free(vt);
    free(u);
    free(copy);
    return status;
}

cru_status cru_pseudo_inverse(const double *a, cru_shape shape, double cutoff, double *out, cru_error *err)
{
    int64_t rows = shape.rows, cols = shape.cols, r = rows < cols ? rows : cols;
    cru_svd f = {heap_alloc(rows * r, sizeof(double)), heap_alloc(r, sizeof(double)),
                 heap_alloc(r * cols, sizeof(double))};
    cru_status status = cru_svd_dense(a, rows, cols, &f, err);
    if (!status) {
        memset(out, 0, (size_t)(rows * cols) * sizeof *out);
        for (int64_t k = 0; k < r && f.s[k] > cutoff * f.s[0]; k++)
            for (int64_t i = 0; i < cols; i++)
                for (int64_t j = 0; j < rows; j++) out[i * rows + j] += f.vt[k * cols + i] / f.s[k] * f.u[j * r + k];
    }
    free(f.vt);
    free(f.s);
    free(f.u);
    return status;
}
