// SPDX-License-Identifier: Apache-2.0
/* vectors.h: sets of long vectors, one a row, in double. */
#ifndef CRU_LINALG_VECTORS_H
#define CRU_LINALG_VECTORS_H

#include <stdint.h>

/* `count` vectors of length n. */
typedef struct vectors {
    double *values;
    int64_t count, n;
} vectors;

double vector_dot(const double *a, const double *b, int64_t n);

/* Makes rows first .. of v orthonormal to each other and to the rows before, which already are.
 * A row that depends on the others (to 1e-10 of its length) becomes zero. */
void vectors_orthonormalise(const vectors *v, int64_t first);

/* out (rows x n) = c v with c: rows x v->count. */
void vectors_combine(const double *c, int64_t rows, const vectors *v, double *out);

#endif
