// SPDX-License-Identifier: Apache-2.0
/* A few extreme eigenpairs of a large symmetric sparse matrix, by block Lanczos with thick restarts. An orthonormal
 * basis V, with W = A V, grows by the matrix times its last block; when it is full the small matrix V A V^T is solved
 * exactly, and the best vectors in the basis and the residuals of the wanted ones start the next cycle. The start is a
 * block, so that eigenvalues of multiplicity up to its size are found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "linalg/vectors.h"
#include "memory/heap.h"
#include "sparse/draft.h"

enum { DENSE_UP_TO = 400, MOST_CYCLES = 500, MOST_VECTORS = 256, MOST_NUMBERS = 1 << 26 };

typedef struct search {
    const cru_csr *a;
    int64_t k, keep, room;  /* wanted pairs, vectors kept at a restart, most vectors */
    double sign, tolerance; /* -1: work on -A, whose largest are the smallest of A */
    vectors v, w;           /* basis, and the matrix times it */
    double *ritz, *values;  /* eigenvectors (rows, descending) and eigenvalues in the basis */
} search;

static void multiply(const search *s, int64_t first)
{
    const cru_csr *a = s->a;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = first; k < s->v.count; k++) {
        const double *from = s->v.values + k * s->v.n;
        for (int64_t i = 0; i < a->rows; i++) {
            double sum = 0;
            for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) sum += csr_value(a, e) * from[a->ids[e]];
            s->w.values[k * s->v.n + i] = s->sign * sum;
        }
    }
}

/* Eigenpairs of V A V^T, largest first. */
static cru_status rayleigh_ritz(search *s, cru_error *err)
{
    int64_t m = s->v.count, n = s->v.n;
    double *h = heap_alloc(m * m, sizeof *h), *ascending = heap_alloc(m, sizeof *ascending);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j <= i; j++)
            h[i * m + j] = h[j * m + i] = vector_dot(s->v.values + i * n, s->w.values + j * n, n);
    cru_status status = cru_eigen_symmetric(h, m, ascending, err);
    for (int64_t i = 0; i < m; i++) {
        s->values[i] = ascending[m - 1 - i];
        memcpy(s->ritz + i * m, h + (m - 1 - i) * m, (size_t)m * sizeof *h);
    }
    free(ascending);
    free(h);
    return status;
}

/* Replaces the basis by its best Ritz vectors. */
static void restart(search *s)
{
    int64_t m = s->v.count, keep = s->keep < m ? s->keep : m, n = s->v.n;
    double *fresh = heap_alloc(keep * n, sizeof *fresh);
    vectors *sets[] = {&s->v, &s->w};
    for (int i = 0; i < 2; i++) {
        vectors_combine(s->ritz, keep, sets[i], fresh);
        memcpy(sets[i]->values, fresh, (size_t)(keep * n) * sizeof *fresh);
        sets[i]->count = keep;
    }
    memset(s->ritz, 0, (size_t)(s->room * s->room) * sizeof *s->ritz);
    for (int64_t i = 0; i < keep; i++) s->ritz[i * keep + i] = 1;
    free(fresh);
}

/* r = A x - theta x of Ritz pair i; returns its length. */
static double residual(const search *s, int64_t i, double *r)
{
    int64_t m = s->v.count, n = s->v.n;
    memset(r, 0, (size_t)n * sizeof *r);
    for (int64_t k = 0; k < m; k++) {
        double c = s->ritz[i * m + k];
        const double *v = s->v.values + k * n, *w = s->w.values + k * n;
        for (int64_t j = 0; j < n; j++) r[j] += c * (w[j] - s->values[i] * v[j]);
    }
    return sqrt(vector_dot(r, r, n));
}

/* Drops vectors that became zero because the basis already held them. */
static void drop_empty(search *s, int64_t first)
{
    int64_t n = s->v.n, kept = first;
    for (int64_t k = first; k < s->v.count; k++) {
        const double *x = s->v.values + k * n;
        if (vector_dot(x, x, n) < 0.5) continue;
        if (kept != k) memcpy(s->v.values + kept * n, x, (size_t)n * sizeof *x);
        kept++;
    }
    s->v.count = s->w.count = kept;
}

/* Takes the vectors from `first` on, up to `count`, into the basis; returns how many of them were new. */
static int64_t accept(search *s, int64_t first, int64_t count)
{
    s->v.count = s->w.count = count;
    vectors_orthonormalise(&s->v, first);
    drop_empty(s, first);
    multiply(s, first);
    return s->v.count - first;
}

/* Fills the basis with the matrix times its last block, which starts at `first`. */
static void grow(search *s, int64_t first)
{
    int64_t n = s->v.n;
    while (s->v.count > first) {
        int64_t width = s->v.count - first, end = s->v.count;
        if (end + width > s->room) return;
        memcpy(s->v.values + end * n, s->w.values + first * n, (size_t)(width * n) * sizeof(double));
        accept(s, end, end + width);
        first = end;
    }
}

/* Puts the residuals of wanted pairs that have not converged behind the basis; returns how many. */
static int64_t append_residuals(const search *s)
{
    double scale = 1e-300;
    int64_t added = 0;
    for (int64_t i = 0; i < s->v.count; i++) scale = fmax(scale, fabs(s->values[i]));
    for (int64_t i = 0; i < s->k; i++) {
        double *r = s->v.values + (s->v.count + added) * s->v.n;
        if (residual(s, i, r) > s->tolerance * scale) added++;
    }
    return added;
}

/* One cycle on a basis whose last block starts at *first. True when all wanted pairs have converged, or when the basis
 * spans all that the matrix makes of it, which is as exact. */
static bool cycle(search *s, int64_t *first, cru_status *status, cru_error *err)
{
    grow(s, *first);
    *status = rayleigh_ritz(s, err);
    if (*status) return true;
    restart(s);
    int64_t added = append_residuals(s);
    *first = s->v.count;
    return added == 0 || accept(s, *first, *first + added) == 0;
}

static void write_pairs(const search *s, const cru_eigenpairs *out)
{
    int64_t n = s->v.n;
    double *x = heap_alloc(n, sizeof *x);
    for (int64_t i = 0; i < s->k; i++) {
        out->values[i] = s->sign * s->values[i];
        if (!out->vectors) continue;
        vectors_combine(s->ritz + i * s->v.count, 1, &s->v, x);
        int64_t top = 0;
        for (int64_t j = 1; j < n; j++)
            if (fabs(x[j]) > fabs(x[top])) top = j;
        double sign = x[top] < 0 ? -1 : 1;
        for (int64_t j = 0; j < n; j++) out->vectors[j * s->k + i] = sign * x[j];
    }
    free(x);
}

/* The whole spectrum, for matrices that fit. */
static cru_status solve_dense(const cru_csr *a, const cru_eigen_options *o, const cru_eigenpairs *out, cru_error *err)
{
    int64_t n = a->rows;
    double *dense = heap_alloc(n * n, sizeof *dense), *all = heap_alloc(n, sizeof *all);
    for (int64_t i = 0; i < n; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) dense[i * n + a->ids[e]] += csr_value(a, e);
    cru_status status = cru_eigen_symmetric(dense, n, all, err);
    for (int64_t i = 0; !status && i < o->k; i++) {
        int64_t from = o->end == CRU_LARGEST ? n - 1 - i : i;
        out->values[i] = all[from];
        for (int64_t j = 0; out->vectors && j < n; j++) out->vectors[j * o->k + i] = dense[from * n + j];
    }
    free(all);
    free(dense);
    return status;
}

/* As many vectors as memory for MOST_NUMBERS allows, but enough to restart. */
static search search_begin(const cru_csr *a, const cru_eigen_options *o, cru_rng *rng)
{
    int64_t n = a->rows, block = o->k + 2, least = 4 * block + 24, room = MOST_NUMBERS / n;
    if (room > MOST_VECTORS) room = MOST_VECTORS;
    if (room > n - block) room = n - block;
    if (room < least) room = least;
    search s = {.a = a, .k = o->k, .keep = block + room / 4, .room = room, .sign = o->end == CRU_LARGEST ? 1 : -1};
    s.tolerance = o->tolerance > 0 ? o->tolerance : 1e-8;
    s.v = (vectors){heap_alloc(room * n, sizeof(double)), 0, n};
    s.w = (vectors){heap_alloc(room * n, sizeof(double)), 0, n};
    s.ritz = heap_alloc(room * room, sizeof *s.ritz);
    s.values = heap_alloc(room, sizeof *s.values);
    for (int64_t i = 0; i < block * n; i++) s.v.values[i] = cru_rng_normal(rng);
    accept(&s, 0, block);
    return s;
}

cru_status cru_eigen_sparse(const cru_csr *a, const cru_eigen_options *options, cru_rng *rng, const cru_eigenpairs *out,
                            cru_error *err)
{
    cru_assert(a->rows == a->cols && options->k >= 0 && options->k <= a->rows,
               "eigenpairs: %lld of a %lld x %lld matrix", (long long)options->k, (long long)a->rows,
               (long long)a->cols);
    if (!options->k) return CRU_OK;
    if (a->rows <= DENSE_UP_TO || 6 * options->k + 60 > a->rows) return solve_dense(a, options, out, err);
    search s = search_begin(a, options, rng);
    bool done = false;
    int64_t first = 0;
    cru_status status = CRU_OK;
    for (int i = 0; !done && i < MOST_CYCLES; i++) done = cycle(&s, &first, &status, err);
    if (!done) status = cru_fail(err, CRU_FAILED, "eigenpairs: no convergence in %d cycles", MOST_CYCLES);
    if (!status) write_pairs(&s, out);
    free(s.values);
    free(s.ritz);
    free(s.w.values);
    free(s.v.values);
    return status;
}
