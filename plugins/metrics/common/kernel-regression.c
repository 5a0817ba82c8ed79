// SPDX-License-Identifier: Apache-2.0
#include "kernel-regression.h"

#include <math.h>
#include <string.h>

#include <crucible/linalg.h>

/* No less than the largest eigenvalue. */
static double largest_row_sum(const double *a, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++) sum += fabs(a[i * n + j]);
        largest = fmax(largest, sum);
    }
    return largest;
}

/* When A - cutoff bound I has a Cholesky factor, no eigenvalue of A is cut off and A^+ is the inverse, which is far
 * cheaper than eigenvectors. */
static bool solve_definite(const pinv_problem *p, double *room)
{
    const size_t size = (size_t)(p->n * p->n) * sizeof *room;
    const double shift = p->cutoff * largest_row_sum(p->a, p->n);
    memcpy(room, p->a, size);
    for (int64_t i = 0; i < p->n; i++) room[i * p->n + i] -= shift;
    if (cru_cholesky(room, p->n, NULL)) return false;
    memcpy(room, p->a, size);
    if (cru_cholesky(room, p->n, NULL)) return false;
    cru_cholesky_solve(room, p->n, p->b, p->cols);
    return true;
}

/* b <- sum over the kept eigenpairs of v (v . b) / lambda; rows of A are the vectors. */
static void combine(const pinv_problem *p, const double *values, double *out)
{
    memset(out, 0, (size_t)(p->n * p->cols) * sizeof *out);
    for (int64_t i = 0; i < p->n; i++) {
        const double *v = p->a + i * p->n;
        if (values[i] <= 0 || values[i] <= p->cutoff * values[p->n - 1]) continue;
        for (int64_t c = 0; c < p->cols; c++) {
            double dot = 0;
            for (int64_t k = 0; k < p->n; k++) dot += v[k] * p->b[k * p->cols + c];
            for (int64_t k = 0; k < p->n; k++) out[k * p->cols + c] += dot / values[i] * v[k];
        }
    }
    memcpy(p->b, out, (size_t)(p->n * p->cols) * sizeof *out);
}

cru_status pinv_apply(const pinv_problem *p, cru_arena *arena, cru_error *err)
{
    const cru_mark mark = cru_arena_mark(arena);
    double *room = cru_arena_alloc(arena, p->n * (p->n > p->cols ? p->n : p->cols), sizeof *room);
    double *values = cru_arena_alloc(arena, p->n, sizeof *values);
    cru_status status = CRU_OK;
    if (!solve_definite(p, room)) {
        status = cru_eigen_symmetric(p->a, p->n, values, err);
        if (!status) combine(p, values, room);
    }
    cru_arena_reset(arena, mark);
    return status;
}

void kernel_decide(const double *scores, int64_t count, int32_t classes, int32_t *guess)
{
    for (int64_t i = 0; i < count; i++) {
        guess[i] = 0;
        for (int32_t c = 1; c < classes; c++)
            if (scores[i * classes + c] > scores[i * classes + guess[i]]) guess[i] = c;
    }
}

cru_status kernel_regress(const gain_case *c, const double *kernel, double cutoff, int32_t *guess, cru_error *err)
{
    const int64_t n = c->rows.count, train = c->train, test = n - train;
    double *a = cru_arena_alloc(c->arena, train * train, sizeof *a);
    double *b = cru_arena_alloc_zeroed(c->arena, train * c->classes, sizeof *b);
    double *scores = cru_arena_alloc_zeroed(c->arena, test * c->classes, sizeof *scores);
    for (int64_t i = 0; i < train; i++) {
        memcpy(a + i * train, kernel + i * n, (size_t)train * sizeof *a);
        b[i * c->classes + c->labels[i]] = 1;
    }
    cru_status status =
        pinv_apply(&(pinv_problem){.a = a, .n = train, .b = b, .cols = c->classes, .cutoff = cutoff}, c->arena, err);
    if (status) return status;
    for (int64_t i = 0; i < test; i++)
        for (int64_t k = 0; k < train; k++)
            for (int32_t y = 0; y < c->classes; y++)
                scores[i * c->classes + y] += kernel[(train + i) * n + k] * b[k * c->classes + y];
    kernel_decide(scores, test, c->classes, guess);
    return CRU_OK;
}
