// SPDX-License-Identifier: Apache-2.0
#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

double vector_dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

static void subtract_projection(double *x, const double *unit, int64_t n)
{
    double along = vector_dot(x, unit, n);
    for (int64_t i = 0; i < n; i++) x[i] -= along * unit[i];
}

/* Divides by the length; zero when less than `least` of it is left. */
static void normalise(double *x, int64_t n, double least)
{
    double length = sqrt(vector_dot(x, x, n)), scale = length > least ? 1 / length : 0;
    for (int64_t i = 0; i < n; i++) x[i] *= scale;
}

/* Gram-Schmidt, each vector twice, which is enough for orthogonality to rounding. */
void vectors_orthonormalise(const vectors *v, int64_t first)
{
    int64_t n = v->n;
    for (int64_t i = first; i < v->count; i++) {
        double *x = v->values + i * n, least = 1e-10 * sqrt(vector_dot(x, x, n));
        for (int pass = 0; pass < 2; pass++) {
            for (int64_t j = 0; j < i; j++) subtract_projection(x, v->values + j * n, n);
            normalise(x, n, pass ? 0.1 : least);
        }
    }
}

void vectors_combine(const double *c, int64_t rows, const vectors *v, double *out)
{
#pragma omp parallel for schedule(static)
    for (int64_t r = 0; r < rows; r++) {
        double *to = out + r * v->n;
        memset(to, 0, (size_t)v->n * sizeof *to);
        for (int64_t k = 0; k < v->count; k++)
            for (int64_t i = 0; i < v->n; i++) to[i] += c[r * v->count + k] * v->values[k * v->n + i];
    }
}
