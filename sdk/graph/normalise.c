// SPDX-License-Identifier: Apache-2.0
/* Propagation matrices. */
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/graph.h>
#include <crucible/graph.h>

#include "memory/heap.h"
#include "sparse/union.h"

static void invert(double *sum, int64_t n)
{
    for (int64_t i = 0; i < n; i++) sum[i] = sum[i] != 0 ? 1 / sum[i] : 0;
}

static void invert_root(double *sum, int64_t n)
{
    for (int64_t i = 0; i < n; i++) sum[i] = sum[i] > 0 ? 1 / sqrt(sum[i]) : 0;
}

cru_csr cru_graph_mean_with_self(cru_pool pool, const cru_csr *g)
{
    double *left = heap_alloc(g->rows, sizeof *left);
    for (int64_t v = 0; v < g->rows; v++) left[v] = 1 / (double)(g->offsets[v + 1] - g->offsets[v] + 1);
    const cru_csr result = cru_csr_scale(pool, g, left, NULL);
    free(left);
    return result;
}

cru_csr cru_graph_normalise(cru_pool pool, const cru_csr *g, cru_norm norm)
{
    if (norm == CRU_NORM_NONE) return *g;
    double *left = heap_alloc(g->rows, sizeof *left), *right = heap_alloc(g->cols, sizeof *right);
    cru_csr_row_sums(g, left);
    cru_csr_col_sums(g, right);
    cru_csr result = {0};
    switch (norm) {
    case CRU_NORM_SYM:
        cru_assert(g->rows == g->cols, "normalise: %lld x %lld is not a graph", (long long)g->rows, (long long)g->cols);
        invert_root(left, g->rows);
        result = cru_csr_scale(pool, g, left, left);
        break;
    case CRU_NORM_IN_OUT:
        invert_root(left, g->rows);
        invert_root(right, g->cols);
        result = cru_csr_scale(pool, g, left, right);
        break;
    case CRU_NORM_ROW:
        invert(left, g->rows);
        result = cru_csr_scale(pool, g, left, NULL);
        break;
    case CRU_NORM_COL:
        invert(right, g->cols);
        result = cru_csr_scale(pool, g, NULL, right);
        break;
    case CRU_NORM_NONE: /* see above */
        break;
    }
    free(left);
    free(right);
    return result;
}

cru_csr cru_graph_gcn(cru_pool pool, const cru_csr *g, cru_loops loops)
{
    cru_csr with_loops = cru_graph_loops(pool, g, loops);
    return cru_graph_normalise(pool, &with_loops, CRU_NORM_SYM);
}

cru_csr cru_graph_laplacian(cru_pool pool, const cru_csr *g, cru_laplacian kind)
{
    cru_arena *scratch = heap_arena();
    cru_csr a = cru_csr_merge(cru_arena_pool(scratch), g, CRU_DUP_SUM), diagonal;
    if (kind == CRU_LAPLACIAN_PLAIN) {
        double *degree = heap_alloc(a.rows, sizeof *degree);
        float *values = heap_alloc(a.rows, sizeof *values);
        cru_csr_row_sums(&a, degree);
        for (int64_t i = 0; i < a.rows; i++) values[i] = (float)degree[i];
        diagonal = csr_diagonal(cru_arena_pool(scratch), values, a.rows);
        free(values);
        free(degree);
    } else {
        cru_norm norm = kind == CRU_LAPLACIAN_SYM ? CRU_NORM_SYM : CRU_NORM_ROW;
        a = cru_graph_normalise(cru_arena_pool(scratch), &a, norm);
        diagonal = csr_diagonal(cru_arena_pool(scratch), NULL, a.rows);
    }
    cru_csr result = cru_csr_add(pool, &diagonal, 1, &a, -1);
    cru_arena_destroy(scratch);
    return result;
}

cru_csr cru_graph_laplacian_scaled(cru_pool pool, const cru_csr *laplacian, double lambda_max)
{
    cru_assert(lambda_max > 0, "scaled Laplacian: largest eigenvalue %g", lambda_max);
    cru_arena *scratch = heap_arena();
    cru_csr identity = csr_diagonal(cru_arena_pool(scratch), NULL, laplacian->rows);
    cru_csr result = cru_csr_add(pool, laplacian, 2 / lambda_max, &identity, -1);
    cru_arena_destroy(scratch);
    return result;
}
