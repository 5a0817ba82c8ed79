// SPDX-License-Identifier: Apache-2.0
/* Leading singular triplets by randomised subspace iteration:
 *     Q = orth(A W), W random;   repeat: Q = orth(A orth(A^T Q));   A ~ Q (Q^T A), and the small factor is solved
 * exactly. Halko, Martinsson, Tropp. Finding structure with randomness. SIAM Review 2011. Vectors are rows: Q is l x
 * rows, so a product with A works on contiguous memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/linalg.h>
#include <crucible/linalg.h>

#include "linalg/gemm.h"
#include "linalg/vectors.h"
#include "memory/heap.h"
#include "sparse/draft.h"

/* A and, when it is sparse, its transpose. */
typedef struct matrix {
    const cru_features *a;
    cru_csr reverse;
    cru_arena *scratch;
} matrix;

static matrix matrix_open(const cru_features *a)
{
    matrix m = {.a = a, .scratch = heap_arena()};
    if (!a->dense) m.reverse = cru_csr_transpose(cru_arena_pool(m.scratch), &a->sparse, NULL);
    return m;
}

/* y_k = A x_k for every vector. */
static void sparse_apply(const cru_csr *a, const vectors *x, const vectors *y)
{
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t k = 0; k < x->count; k++) {
        const double *from = x->values + k * x->n;
        for (int64_t i = 0; i < a->rows; i++) {
            double sum = 0;
            for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) sum += csr_value(a, e) * from[a->ids[e]];
            y->values[k * y->n + i] = sum;
        }
    }
}

static float *to_float(const vectors *x)
{
    float *copy = heap_alloc(x->count * x->n, sizeof *copy);
    for (int64_t i = 0; i < x->count * x->n; i++) copy[i] = (float)x->values[i];
    return copy;
}

enum { ROWS = 512, CHUNKS = 16 };

/* Y (l x rows) = X (l x cols) A^T, by blocks of rows of A. */
static void dense_apply(const cru_features *a, const vectors *x, const vectors *y)
{
    float *from = to_float(x), *to = heap_alloc(y->count * y->n, sizeof *to);
    int64_t blocks = (a->rows + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t b = 0; b < blocks; b++) {
        int64_t first = b * ROWS, rows = a->rows - first < ROWS ? a->rows - first : ROWS;
        gemm_block(&(cru_gemm_args){.tb = true,
                                    .m = x->count,
                                    .n = rows,
                                    .k = a->cols,
                                    .alpha = 1,
                                    .a = from,
                                    .b = a->dense + first * a->cols,
                                    .c = to + first,
                                    .lda = x->n,
                                    .ldb = a->cols,
                                    .ldc = y->n});
    }
    for (int64_t i = 0; i < y->count * y->n; i++) y->values[i] = to[i];
    free(to);
    free(from);
}

/* Z (l x cols) = Y (l x rows) A: partial sums over a fixed number of chunks of rows, added in order. */
static void dense_apply_transposed(const cru_features *a, const vectors *y, const vectors *z)
{
    int64_t size = z->count * z->n, rows = (a->rows + CHUNKS - 1) / CHUNKS;
    float *from = to_float(y), *parts = heap_alloc(CHUNKS * size, sizeof *parts);
#pragma omp parallel for schedule(dynamic, 1)
    for (int64_t c = 0; c < CHUNKS; c++) {
        int64_t first = c * rows, depth = a->rows - first < rows ? a->rows - first : rows;
        if (depth <= 0) continue;
        gemm_block(&(cru_gemm_args){.m = y->count,
                                    .n = a->cols,
                                    .k = depth,
                                    .alpha = 1,
                                    .a = from + first,
                                    .b = a->dense + first * a->cols,
                                    .c = parts + c * size,
                                    .lda = y->n,
                                    .ldb = a->cols,
                                    .ldc = z->n});
    }
    for (int64_t i = 0; i < size; i++) {
        z->values[i] = 0;
        for (int64_t c = 0; c < CHUNKS; c++) z->values[i] += parts[c * size + i];
    }
    free(parts);
    free(from);
}

static void apply(const matrix *m, const vectors *x, const vectors *y)
{
    if (m->a->dense)
        dense_apply(m->a, x, y);
    else
        sparse_apply(&m->a->sparse, x, y);
}

static void apply_transposed(const matrix *m, const vectors *y, const vectors *z)
{
    if (m->a->dense)
        dense_apply_transposed(m->a, y, z);
    else
        sparse_apply(&m->reverse, y, z);
}

/* From Q (l x rows) and Q A = U' S V^T: U = Q^T U'. Signs follow the left vectors. */
static cru_status write_factors(const vectors *q, const vectors *qa, int64_t k, const cru_factors *out, cru_error *err)
{
    int64_t l = q->count, r = l < qa->n ? l : qa->n, rows = q->n, cols = qa->n;
    cru_svd f = {heap_alloc(l * r, sizeof(double)), heap_alloc(r, sizeof(double)),
                 heap_alloc(r * cols, sizeof(double))};
    double *left = heap_alloc(rows, sizeof *left), *mix = heap_alloc(l, sizeof *mix);
    cru_status status = cru_svd_dense(qa->values, l, cols, &f, err);
    for (int64_t j = 0; !status && j < k; j++) {
        for (int64_t i = 0; i < l; i++) mix[i] = f.u[i * r + j];
        vectors_combine(mix, 1, q, left);
        int64_t top = 0;
        for (int64_t i = 1; i < rows; i++)
            if (fabs(left[i]) > fabs(left[top])) top = i;
        double sign = left[top] < 0 ? -1 : 1;
        out->s[j] = (float)f.s[j];
        for (int64_t i = 0; out->u && i < rows; i++) out->u[i * k + j] = (float)(sign * left[i]);
        for (int64_t i = 0; out->v && i < cols; i++) out->v[i * k + j] = (float)(sign * f.vt[j * cols + i]);
    }
    free(mix);
    free(left);
    free(f.vt);
    free(f.s);
    free(f.u);
    return status;
}

cru_status cru_svd_truncated(const cru_features *a, const cru_svd_options *options, cru_rng *rng,
                             const cru_factors *out, cru_error *err)
{
    int64_t least = a->rows < a->cols ? a->rows : a->cols, k = options->k;
    cru_assert(k >= 0 && k <= least, "truncated SVD: %lld values of a %lld x %lld matrix", (long long)k,
               (long long)a->rows, (long long)a->cols);
    int64_t l = k + (options->oversample > 0 ? options->oversample : 10);
    if (l > least) l = least;
    int32_t rounds = options->rounds > 0 ? options->rounds : 4;
    matrix m = matrix_open(a);
    vectors left = {heap_alloc(l * a->rows, sizeof(double)), l, a->rows};
    vectors right = {heap_alloc(l * a->cols, sizeof(double)), l, a->cols};
    for (int64_t i = 0; i < l * a->cols; i++) right.values[i] = cru_rng_normal(rng);
    for (int32_t round = 0; round <= rounds; round++) {
        if (round) apply_transposed(&m, &left, &right);
        vectors_orthonormalise(&right, 0);
        apply(&m, &right, &left);
        vectors_orthonormalise(&left, 0);
    }
    apply_transposed(&m, &left, &right);
    cru_status status = write_factors(&left, &right, k, out, err);
    free(right.values);
    free(left.values);
    cru_arena_destroy(m.scratch);
    return status;
}
