// SPDX-License-Identifier: Apache-2.0
/* Contrast with a graph, and better graphs and labels. */
#include "self-improvement.h"

#include <math.h>
#include <stdlib.h>

cru_csr walk_counts(cru_pool pool, const cru_csr *graph, int64_t order)
{
    const cru_csr step = cru_csr_merge(pool, graph, CRU_DUP_SUM);
    cru_csr g = step;
    for (int64_t i = 1; i < order; i++) g = cru_csr_product(pool, &g, &step);
    return g;
}

/* The entries beside the diagonal, and the diagonal: n x 1. */
typedef struct parted {
    cru_csr others;
    cru_tensor *own;
} parted;
static parted part(cru_tape *t, const cru_csr *g)
{
    parted p = {.others = cru_graph_loops(cru_tape_pool(t), g, CRU_LOOPS_REMOVE)};
    float *own = cru_tape_alloc(t, g->rows, sizeof *own);
    for (int64_t i = 0; i < g->rows; i++) {
        const int64_t e = cru_csr_find(g, i, (int32_t)i);
        own[i] = e < 0 ? 0 : g->values ? g->values[e] : 1;
    }
    p.own = cru_tensor_upload(t, cru_2d(g->rows, 1), own);
    return p;
}

/* Pairs of a node with itself are in the sum over all pairs with e^tau, and should be with e^0. */
cru_tensor *neighbour_contrast_each(cru_tape *t, cru_tensor *u, const cru_csr *g, double tau)
{
    const parted p = part(t, g);
    const int64_t entries = cru_csr_nnz(&p.others);
    cru_sparse *pattern = cru_sparse_step(t, &p.others);
    cru_tensor *near = cru_exp(t, cru_scale(t, cru_sddmm(t, pattern, u, u, 1), tau));
    if (p.others.values) near = cru_mul(t, near, cru_tensor_upload(t, cru_2d(entries, 1), p.others.values));
    near = cru_add(t, cru_edge_sum(t, pattern, near), p.own);
    cru_tensor *all = cru_as_matrix(t, cru_exp(t, cru_lse_products(t, u, u, tau)), -1, 1);
    cru_tensor *share = cru_div(t, near, cru_affine(t, all, 1, 1 - exp(tau)));
    return cru_neg(t, cru_log(t, cru_affine(t, share, 1, 1e-8)));
}

cru_tensor *neighbour_contrast(cru_tape *t, cru_tensor *u, const cru_csr *g, double tau)
{
    return cru_mean(t, neighbour_contrast_each(t, u, g, tau), CRU_ALL);
}

static int descending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

/* The k-th largest of `count` numbers (sorted here) and `zeros` zeros; k from 1. */
static float kth_largest(float *numbers, int64_t count, int64_t zeros, int64_t k)
{
    int64_t positive = 0;
    qsort(numbers, (size_t)count, sizeof *numbers, descending);
    while (positive < count && numbers[positive] > 0) positive++;
    if (k <= positive) return numbers[k - 1];
    return k <= positive + zeros ? 0 : numbers[k - 1 - zeros];
}

cru_csr improved_graph(cru_pool pool, const cru_csr *g, similar_rows similar, double drop)
{
    const int64_t n = g->rows, entries = cru_csr_nnz(g), k = (int64_t)((double)n * (1 - drop));
    float *value = cru_pool_alloc(pool, entries, sizeof *value), *row = cru_pool_alloc(pool, n, sizeof *row);
    uint8_t *kept = cru_pool_alloc(pool, entries, 1);
    for (int64_t i = 0; i < n; i++) {
        const int64_t from = g->offsets[i], count = g->offsets[i + 1] - from;
        for (int64_t e = from; e < from + count; e++) {
            const float *a = similar.u + i * similar.cols, *b = similar.u + g->ids[e] * similar.cols;
            double s = 0;
            for (int64_t c = 0; c < similar.cols && g->ids[e] != i; c++) s += (double)a[c] * (double)b[c];
            row[e - from] = value[e] = (float)s * (g->values ? g->values[e] : 1);
        }
        const float least = k > 0 ? kth_largest(row, count, n - count, k) : INFINITY;
        for (int64_t e = from; e < from + count; e++) kept[e] = value[e] > least;
    }
    const cru_csr weighed = {n, g->cols, g->offsets, g->ids, value};
    return cru_csr_select(pool, &weighed, kept);
}

cru_ids improved_labels(float *p, int64_t n, int64_t classes, cru_ids eligible, label_rules rules, int32_t *ids)
{
    int64_t count = 0;
    for (int64_t i = 0, next = 0; i < n; i++) {
        float *row = p + i * classes, most = row[0];
        int64_t best = 0;
        for (int64_t c = 1; c < classes; c++)
            if (row[c] > most) most = row[best = c];
        if (next < eligible.count && eligible.ids[next] == i) {
            if ((double)most >= rules.least) ids[count++] = (int32_t)i;
            next++;
        }
        for (int64_t c = 0; c < classes && (double)most >= rules.one_hot; c++) row[c] = c == best;
    }
    return (cru_ids){ids, count};
}
