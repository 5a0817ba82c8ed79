// SPDX-License-Identifier: Apache-2.0
#include "smote.h"

#include <string.h>

#include <crucible/arena.h>
#include <crucible/knn.h>

void smote_nearest(const float *x, int64_t cols, cru_ids members, int32_t *nearest)
{
    if (members.count == 1) nearest[0] = 0;
    if (members.count < 2) return;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) cru_panic(CRU_NO_MEMORY, "no memory for the neighbours of %lld nodes", (long long)members.count);
    const cru_pool pool = cru_arena_pool(scratch);
    float *rows = cru_pool_alloc(pool, members.count * cols, sizeof *rows);
    for (int64_t i = 0; i < members.count; i++)
        memcpy(rows + i * cols, x + members.ids[i] * cols, (size_t)cols * sizeof *rows);
    const cru_dense points = {members.count, cols, rows};
    const cru_neighbours found = cru_knn(pool, &points, &points, &(cru_knn_options){.k = 1, .skip_self = true});
    memcpy(nearest, found.ids, (size_t)members.count * sizeof *nearest);
    cru_arena_destroy(scratch);
}

static bool linked(const float *a, const float *b, int64_t cols)
{
    double product = 0;
    for (int64_t k = 0; k < cols; k++) product += (double)a[k] * (double)b[k];
    return product >= 0; /* sigmoid >= 1/2 */
}

cru_csr smote_graph(cru_pool pool, const cru_csr *g, smote_pairs pairs, const float *code, int64_t cols)
{
    int64_t most = 0, count = 0;
    for (int64_t i = 0; i < pairs.count; i++)
        for (int side = 0; side < 2; side++) {
            const int32_t v = side ? pairs.second[i] : pairs.first[i];
            most += 2 * (g->offsets[v + 1] - g->offsets[v]);
        }
    int32_t *row = cru_pool_alloc(pool, most, sizeof *row), *col = cru_pool_alloc(pool, most, sizeof *col);
    for (int64_t i = 0; i < pairs.count; i++)
        for (int side = 0; side < 2; side++) {
            const int32_t v = side ? pairs.second[i] : pairs.first[i], added = (int32_t)(g->rows + i);
            for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++) {
                if (!linked(code + added * cols, code + g->ids[e] * cols, cols)) continue;
                row[count] = added, col[count++] = g->ids[e];
                row[count] = g->ids[e], col[count++] = added;
            }
        }
    const int64_t n = g->rows + pairs.count;
    return cru_graph_append(pool, g, &(cru_coo){.rows = n, .cols = n, .count = count, .row = row, .col = col},
                            CRU_DUP_FIRST);
}

/* With s = sigmoid(c_u . c_v) and w for pairs without an edge: w sum over all pairs of s^2, plus, over the edges,
 * (s - 1)^2 - w s^2 = 1 - 2 s + (1 - w) s^2. */
cru_tensor *smote_reconstruction(cru_tape *t, cru_sparse *a, cru_tensor *code)
{
    const double n = (double)a->csr.rows, edges = (double)cru_csr_nnz(&a->csr);
    const double w = n * n > edges ? edges / (n * n - edges) : 0;
    cru_tensor *all = cru_scale(t, cru_square_sigmoid_products(t, code), (float)w);
    cru_tensor *s = cru_sigmoid(t, cru_sddmm(t, a, code, code, 1));
    cru_tensor *squares = cru_scale(t, cru_square(t, s), 1 - w);
    cru_tensor *each = cru_add(t, cru_affine(t, s, -2, 1), squares);
    return cru_add(t, all, cru_sum(t, each, CRU_ALL));
}
