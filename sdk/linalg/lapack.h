// SPDX-License-Identifier: Apache-2.0
/* lapack.h: the few LAPACK routines in use, opened on demand.
 *
 * Linking OpenBLAS would start its threads in every process that loads the SDK, also in the host, which never factors a
 * matrix. So the library is opened at the first use, after OPENBLAS_NUM_THREADS=1 is set: one thread gives the same
 * bits in every run. */
#ifndef CRU_LINALG_LAPACK_H
#define CRU_LINALG_LAPACK_H

#include <stdint.h>

#include <crucible/status.h>

enum { LAPACK_ROWS = 101 }; /* row-major, as LAPACKE numbers it */

typedef struct lapack {
    int32_t (*dsyevd)(int layout, char jobz, char uplo, int32_t n, double *a, int32_t lda, double *w);
    int32_t (*dgesdd)(int layout, char jobz, int32_t m, int32_t n, double *a, int32_t lda, double *s, double *u,
                      int32_t ldu, double *vt, int32_t ldvt);
    int32_t (*dgetrf)(int layout, int32_t m, int32_t n, double *a, int32_t lda, int32_t *pivot);
    int32_t (*dgetri)(int layout, int32_t n, double *a, int32_t lda, const int32_t *pivot);
} lapack;

/* NULL and CRU_UNSUPPORTED in `err` when the library is missing. Any thread may call it. */
const lapack *lapack_open(cru_error *err);

#endif
