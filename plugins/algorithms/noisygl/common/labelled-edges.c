/* Edges to similar labelled nodes. */
#include "labelled-edges.h"

/* Features of some rows, dense. */
static cru_dense dense_rows(cru_pool pool, const cru_features *x, const int32_t *ids, int64_t count)
{
    float *rows = cru_pool_alloc(pool, count * x->cols, sizeof *rows);
    for (int64_t i = 0; i < count; i++) {
        const int64_t v = ids ? ids[i] : i;
        float *row = rows + i * x->cols;
        if (x->dense) {
            for (int64_t k = 0; k < x->cols; k++) row[k] = x->dense[v * x->cols + k];
            continue;
        }
        for (int64_t e = x->sparse.offsets[v]; e < x->sparse.offsets[v + 1]; e++)
            row[x->sparse.ids[e]] = x->sparse.values ? x->sparse.values[e] : 1;
    }
    return (cru_dense){.rows = count, .cols = x->cols, .values = rows};
}

cru_csr similar_labelled(cru_pool pool, const cru_task *task, int64_t k)
{
    const cru_ids train = task->split.train;
    const cru_dense all = dense_rows(pool, &task->x, NULL, task->nodes);
    const cru_dense labelled = dense_rows(pool, &task->x, train.ids, train.count);
    const cru_knn_options options = {.k = k < train.count ? k : train.count, .distance = CRU_COSINE};
    const cru_neighbours found = cru_knn(pool, &all, &labelled, &options);
    const int64_t count = found.rows * found.k;
    int32_t *row = cru_pool_alloc(pool, count, sizeof *row), *col = cru_pool_alloc(pool, count, sizeof *col);
    for (int64_t i = 0; i < count; i++) {
        row[i] = (int32_t)(i / found.k);
        col[i] = train.ids[found.ids[i]];
    }
    const cru_coo pairs = {.rows = task->nodes, .cols = task->nodes, .count = count, .row = row, .col = col};
    const cru_csr directed = cru_csr_from_coo(pool, &pairs, CRU_DUP_FIRST);
    return cru_graph_symmetrise(pool, &directed, CRU_SYM_OR);
}

cru_tensor *cut_off(cru_tape *t, cru_tensor *product, float least)
{
    cru_tensor *kept = cru_sign(t, cru_relu(t, cru_affine(t, cru_detach(t, product), 1, -least)));
    return cru_mul(t, product, kept);
}

cru_tensor *similar_weights(cru_tape *t, cru_sparse *a, cru_tensor *r, float least)
{
    return cut_off(t, cru_sddmm(t, a, r, r, 1), least);
}

/* sum of (r_i . r_j - target)^2 */
static cru_tensor *squares(cru_tape *t, cru_tensor *r, pair_list pairs, float target)
{
    cru_tensor *product = cru_dot_rows(t, cru_gather(t, r, pairs.row), cru_gather(t, r, pairs.col));
    return cru_sum(t, cru_square(t, cru_affine(t, product, 1, -target)), CRU_ALL);
}

cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, pair_list far, pair_list near)
{
    cru_tensor *sum = cru_add(t, squares(t, r, far, 0), squares(t, r, near, 1));
    return cru_scale(t, sum, (float)cru_tensor_rows(r) / (float)(far.row.count + near.row.count));
}

pair_list upper_pairs(cru_tape *t, const int32_t *row, const int32_t *col, int64_t count)
{
    int32_t *from = cru_tape_alloc(t, count, sizeof *from), *to = cru_tape_alloc(t, count, sizeof *to);
    int64_t kept = 0;
    for (int64_t i = 0; i < count; i++) {
        if (row[i] >= col[i]) continue;
        from[kept] = row[i];
        to[kept++] = col[i];
    }
    return (pair_list){.row = cru_index_step(t, from, kept), .col = cru_index_step(t, to, kept)};
}

cru_index confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least)
{
    int32_t *sure = cru_tape_alloc(t, items.count, sizeof *sure);
    int64_t count = 0;
    for (int64_t i = 0; i < items.count; i++) {
        const float *row = q + items.ids[i] * classes;
        float largest = 0;
        for (int64_t k = 0; k < classes; k++) largest = row[k] > largest ? row[k] : largest;
        if ((double)largest > least) sure[count++] = items.ids[i];
    }
    return cru_index_step(t, sure, count);
}
