// SPDX-License-Identifier: Apache-2.0
/* e^A by scaling and squaring: with s such that ||A / 2^s|| is small, e^A = (e^(A / 2^s))^(2^s), and the inner one is
 * the diagonal Pade approximant of degree 13,
 *     r(B) = (V + U) / (V - U),   U = odd part, V = even part of sum_k c_k B^k.
 * Higham. The scaling and squaring method for the matrix exponential revisited. 2005. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "memory/heap.h"

enum { DEGREE = 13 };
static const double largest_norm = 5.371920351148152; /* for which degree 13 reaches full precision */

/* c = a b, n x n. */
static void multiply(double *c, const double *a, const double *b, int64_t n)
{
#pragma omp parallel for schedule(static) if (n > 64)
    for (int64_t i = 0; i < n; i++) {
        memset(c + i * n, 0, (size_t)n * sizeof *c);
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

static double norm_1(const double *a, int64_t n)
{
    double norm = 0;
    for (int64_t j = 0; j < n; j++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++) sum += fabs(a[i * n + j]);
        norm = sum > norm || isnan(sum) ? sum : norm;
    }
    return norm;
}

/* c_k = (2q - k)! q! / ((2q)! k! (q - k)!). */
static void coefficients(double c[DEGREE + 1])
{
    c[0] = 1;
    for (int k = 1; k <= DEGREE; k++) c[k] = c[k - 1] * (DEGREE - k + 1) / (k * (2 * DEGREE - k + 1));
}

/* n x n matrices; square = b^2. */
typedef struct pade {
    int64_t n;
    double *b, *square, *even, *odd, *scratch;
} pade;

/* Even and odd parts by Horner's rule in B^2. */
static void pade_parts(const pade *m)
{
    int64_t n = m->n;
    double *even = m->even, *odd = m->odd, *scratch = m->scratch;
    double c[DEGREE + 1];
    coefficients(c);
    size_t bytes = (size_t)(n * n) * sizeof *even;
    memset(even, 0, bytes);
    memset(odd, 0, bytes);
    for (int k = DEGREE - 1; k >= 0; k -= 2) {
        multiply(scratch, even, m->square, n);
        memcpy(even, scratch, bytes);
        multiply(scratch, odd, m->square, n);
        memcpy(odd, scratch, bytes);
        for (int64_t i = 0; i < n; i++) {
            even[i * n + i] += c[k];
            odd[i * n + i] += c[k + 1];
        }
    }
    multiply(scratch, odd, m->b, n);
    memcpy(odd, scratch, bytes);
}

cru_status cru_matrix_exp(const double *a, int64_t n, double *out, cru_error *err)
{
    double norm = norm_1(a, n);
    if (!isfinite(norm)) return cru_fail(err, CRU_FAILED, "matrix exponential: the matrix is not finite");
    int squarings = norm > largest_norm ? (int)ceil(log2(norm / largest_norm)) : 0;
    double *memory = heap_alloc(5 * n * n, sizeof *memory);
    double *b = memory, *square = b + n * n, *even = square + n * n, *odd = even + n * n, *scratch = odd + n * n;
    int32_t *pivot = heap_alloc(n, sizeof *pivot);
    for (int64_t i = 0; i < n * n; i++) b[i] = ldexp(a[i], -squarings);
    multiply(square, b, b, n);
    pade_parts(&(pade){n, b, square, even, odd, scratch});
    for (int64_t i = 0; i < n * n; i++) {
        out[i] = even[i] + odd[i];
        even[i] -= odd[i];
    }
    cru_status status = cru_lu_factor(even, pivot, n, err);
    if (!status) cru_lu_solve(even, pivot, n, out, n);
    for (int s = 0; !status && s < squarings; s++) {
        multiply(scratch, out, out, n);
        memcpy(out, scratch, (size_t)(n * n) * sizeof *out);
    }
    free(pivot);
    free(memory);
    return status;
}
