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

/* Where each of `rows` stands in `cols`, -1 where it does not. */
static cru_index own_places(cru_tape *t, cru_ids rows, cru_ids cols)
{
    int32_t *place = cru_tape_alloc(t, rows.count, sizeof *place);
    for (int64_t i = 0, next = 0; i < rows.count; i++) {
        while (next < cols.count && cols.ids[next] < rows.ids[i]) next++;
        place[i] = next < cols.count && cols.ids[next] == rows.ids[i] ? (int32_t)next : -1;
    }
    return cru_index_step(t, place, rows.count);
}

cru_tensor *similar_block(cru_tape *t, cru_tensor *r, cru_ids rows, cru_ids cols, float least)
{
    cru_tensor *left = cru_gather(t, r, cru_index_step(t, rows.ids, rows.count));
    cru_tensor *right = cru_gather(t, r, cru_index_step(t, cols.ids, cols.count));
    cru_tensor *others = cru_affine(t, cru_one_hot(t, own_places(t, rows, cols), cols.count), -1, 1);
    return cru_mul(t, cut_off(t, cru_matmul_op(t, left, right, CRU_NT), least), others);
}

/* sum of (r_i . r_j - target)^2 over the entries */
static cru_tensor *squares(cru_tape *t, cru_tensor *r, cru_sparse *pairs, float target)
{
    cru_tensor *product = cru_sddmm(t, pairs, r, r, 1);
    return cru_sum(t, cru_square(t, cru_affine(t, product, 1, -target)), CRU_ALL);
}

cru_tensor *reconstruction(cru_tape *t, cru_tensor *r, cru_sparse *far, cru_sparse *near)
{
    const int64_t pairs = cru_csr_nnz(&far->csr) + cru_csr_nnz(&near->csr);
    cru_tensor *sum = cru_add(t, squares(t, r, far, 0), squares(t, r, near, 1));
    return cru_scale(t, sum, (float)cru_tensor_rows(r) / (float)pairs);
}

cru_ids confident(cru_tape *t, cru_ids items, const float *q, int64_t classes, double least)
{
    int32_t *sure = cru_tape_alloc(t, items.count, sizeof *sure);
    int64_t count = 0;
    for (int64_t i = 0; i < items.count; i++) {
        const float *row = q + items.ids[i] * classes;
        float largest = 0;
        for (int64_t k = 0; k < classes; k++) largest = row[k] > largest ? row[k] : largest;
        if ((double)largest > least) sure[count++] = items.ids[i];
    }
    return (cru_ids){sure, count};
}

cru_ids unlabelled_items(cru_ctx *ctx, const cru_task *task)
{
    const cru_ids train = task->split.train;
    uint8_t *trained = cru_ctx_alloc(ctx, task->items, sizeof *trained);
    int32_t *rest = cru_ctx_alloc(ctx, task->items, sizeof *rest);
    int64_t count = 0;
    for (int64_t i = 0; i < train.count; i++) trained[train.ids[i]] = 1;
    for (int32_t v = 0; v < task->items; v++)
        if (!trained[v]) rest[count++] = v;
    return (cru_ids){rest, count};
}
