// SPDX-License-Identifier: Apache-2.0
/* LU and Cholesky. Small matrices are done here, in plain loops over rows; large ones by LAPACK where it is there. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "linalg/lapack.h"
#include "memory/heap.h"

enum { SMALL = 96 };

static cru_status singular(int64_t column, cru_error *err)
{
    return cru_fail(err, CRU_FAILED, "matrix is singular (column %lld)", (long long)column);
}

static void swap_rows(double *a, int64_t n, int64_t i, int64_t j)
{
    if (i == j) return;
    for (int64_t k = 0; k < n; k++) {
        double t = a[i * n + k];
        a[i * n + k] = a[j * n + k];
        a[j * n + k] = t;
    }
}

static int64_t largest_below(const double *a, int64_t n, int64_t column)
{
    int64_t best = column;
    for (int64_t i = column + 1; i < n; i++)
        if (fabs(a[i * n + column]) > fabs(a[best * n + column])) best = i;
    return best;
}

/* pivot[k]: the row that was exchanged with row k at step k. */
static cru_status factor_small(double *a, int32_t *pivot, int64_t n, cru_error *err)
{
    for (int64_t k = 0; k < n; k++) {
        int64_t best = largest_below(a, n, k);
        double top = a[best * n + k];
        if (!(fabs(top) > 0) || !isfinite(top)) return singular(k, err);
        pivot[k] = (int32_t)best;
        swap_rows(a, n, k, best);
        for (int64_t i = k + 1; i < n; i++) {
            double factor = a[i * n + k] /= top;
            for (int64_t j = k + 1; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
        }
    }
    return CRU_OK;
}

cru_status cru_lu_factor(double *lu, int32_t *pivot, int64_t n, cru_error *err)
{
    const lapack *library = n > SMALL && n <= INT32_MAX ? lapack_open(NULL) : NULL;
    if (!library) return factor_small(lu, pivot, n, err);
    int32_t info = library->dgetrf(LAPACK_ROWS, (int32_t)n, (int32_t)n, lu, (int32_t)n, pivot);
    if (info) return singular(info - 1, err);
    for (int64_t k = 0; k < n; k++) pivot[k]--; /* LAPACK counts from 1 */
    return CRU_OK;
}

void cru_lu_solve(const double *lu, const int32_t *pivot, int64_t n, double *b, int64_t count)
{
    for (int64_t k = 0; k < n; k++) {
        for (int64_t j = 0; j < count && pivot[k] != k; j++) {
            double t = b[k * count + j];
            b[k * count + j] = b[pivot[k] * count + j];
            b[pivot[k] * count + j] = t;
        }
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t k = 0; k < i; k++)
            for (int64_t j = 0; j < count; j++) b[i * count + j] -= lu[i * n + k] * b[k * count + j];
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            for (int64_t j = 0; j < count; j++) b[i * count + j] -= lu[i * n + k] * b[k * count + j];
        for (int64_t j = 0; j < count; j++) b[i * count + j] /= lu[i * n + i];
    }
}

cru_status cru_inverse(double *a, int64_t n, cru_error *err)
{
    int32_t *pivot = heap_alloc(n, sizeof *pivot);
    const lapack *library = n > SMALL && n <= INT32_MAX ? lapack_open(NULL) : NULL;
    cru_status status = cru_lu_factor(a, pivot, n, err);
    if (!status && library) {
        for (int64_t k = 0; k < n; k++) pivot[k]++;
        if (library->dgetri(LAPACK_ROWS, (int32_t)n, a, (int32_t)n, pivot)) status = singular(n - 1, err);
    } else if (!status) {
        double *x = heap_alloc(n * n, sizeof *x);
        for (int64_t i = 0; i < n; i++) x[i * n + i] = 1;
        cru_lu_solve(a, pivot, n, x, n);
        memcpy(a, x, (size_t)(n * n) * sizeof *a);
        free(x);
    }
    free(pivot);
    return status;
}

cru_status cru_cholesky(double *a, int64_t n, cru_error *err)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j <= i; j++) {
            double sum = a[i * n + j];
            for (int64_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
            if (i == j && !(sum > 0))
                return cru_fail(err, CRU_FAILED, "matrix is not positive definite (row %lld)", (long long)i);
            a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
        }
        for (int64_t j = i + 1; j < n; j++) a[i * n + j] = 0;
    }
    return CRU_OK;
}

void cru_cholesky_solve(const double *l, int64_t n, double *b, int64_t count)
{
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = 0; k < i; k++)
            for (int64_t j = 0; j < count; j++) b[i * count + j] -= l[i * n + k] * b[k * count + j];
        for (int64_t j = 0; j < count; j++) b[i * count + j] /= l[i * n + i];
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        for (int64_t k = i + 1; k < n; k++)
            for (int64_t j = 0; j < count; j++) b[i * count + j] -= l[k * n + i] * b[k * count + j];
        for (int64_t j = 0; j < count; j++) b[i * count + j] /= l[i * n + i];
    }
}
