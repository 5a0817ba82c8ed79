// SPDX-License-Identifier: Apache-2.0
/* Sinkhorn-Knopp on the stored entries, kept in double between rounds. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/graph.h>
#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/draft.h"

typedef struct balance {
    const cru_csr *pattern;
    double *values;       /* of the current matrix S */
    double *left, *right; /* the scalings, one per row and column */
} balance;

/* out = 1 / (S x), or 1 / sums of rows when x is NULL. */
static void invert_rows(const balance *b, const double *x, double *out)
{
    const cru_csr *a = b->pattern;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++) {
        double sum = 0;
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) sum += b->values[e] * (x ? x[a->ids[e]] : 1);
        out[i] = sum != 0 ? 1 / sum : 0;
    }
}

/* out = 1 / (x S), or 1 / sums of columns when x is NULL. */
static void invert_cols(const balance *b, const double *x, double *out)
{
    const cru_csr *a = b->pattern;
    memset(out, 0, (size_t)a->cols * sizeof *out);
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) out[a->ids[e]] += b->values[e] * (x ? x[i] : 1);
    for (int64_t j = 0; j < a->cols; j++) out[j] = out[j] != 0 ? 1 / out[j] : 0;
}

static void rescale(const balance *b)
{
    const cru_csr *a = b->pattern;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < a->rows; i++)
        for (int64_t e = a->offsets[i]; e < a->offsets[i + 1]; e++) b->values[e] *= b->left[i] * b->right[a->ids[e]];
}

/* Both scratch vectors hold inverted sums. */
static bool within(const double *inverse, int64_t n, double tolerance)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = inverse[i] != 0 ? 1 / inverse[i] : 0;
        if (!(sum >= 1 - tolerance && sum <= 1 + tolerance)) return false;
    }
    return true;
}

static bool balanced(const balance *b, double tolerance, double *scratch)
{
    invert_rows(b, NULL, scratch);
    if (!within(scratch, b->pattern->rows, tolerance)) return false;
    invert_cols(b, NULL, scratch);
    return within(scratch, b->pattern->cols, tolerance);
}

cru_csr cru_graph_doubly_stochastic(cru_pool pool, const cru_csr *g, double tolerance, int32_t max_iterations)
{
    cru_assert(g->rows == g->cols, "doubly stochastic: %lld x %lld is not a graph", (long long)g->rows,
               (long long)g->cols);
    int64_t n = g->rows, nnz = cru_csr_nnz(g);
    double *memory = heap_alloc(nnz + 3 * n, sizeof *memory);
    balance b = {g, memory, memory + nnz, memory + nnz + n};
    double *scratch = memory + nnz + 2 * n;
    for (int64_t e = 0; e < nnz; e++) b.values[e] = csr_value(g, e);
    invert_cols(&b, NULL, b.right);
    invert_rows(&b, b.right, b.left);
    for (int32_t round = 0; round < max_iterations && !balanced(&b, tolerance, scratch); round++) {
        invert_cols(&b, b.left, b.right);
        invert_rows(&b, b.right, b.left);
        rescale(&b);
    }
    cru_csr result = *g;
    float *values = cru_pool_alloc(pool, nnz, sizeof *values);
    for (int64_t e = 0; e < nnz; e++) values[e] = (float)b.values[e];
    result.values = values;
    free(memory);
    return result;
}
