// SPDX-License-Identifier: Apache-2.0
/* The most similar nodes of the other kind. */
#include "candidates.h"

typedef struct entries {
    int32_t *row, *col;
    int64_t count;
} entries;

/* For every node of `from` up to k of `to`: those of `first`, a part of `to`, before the nearest others. */
static void join(entries *e, const cru_features *x, cru_ids from, cru_ids to, cru_ids first, int64_t k)
{
    if (k > to.count) k = to.count;
    cru_arena *scratch = cru_arena_create();
    const cru_pool own = cru_arena_pool(scratch);
    const cru_dense queries = cru_features_rows(own, x, &from), points = cru_features_rows(own, x, &to);
    const cru_knn_options options = {.k = k, .distance = CRU_ONE_LESS_COSINE};
    const cru_neighbours found = cru_knn(own, &queries, &points, &options);
    uint8_t *taken = cru_pool_alloc(own, x->rows, 1);
    for (int64_t i = 0; i < first.count; i++) taken[first.ids[i]] = 1;
    for (int64_t i = 0; i < from.count; i++) {
        const int64_t end = e->count + k;
        for (int64_t c = 0; c < first.count && e->count < end; c++)
            e->row[e->count] = from.ids[i], e->col[e->count++] = first.ids[c];
        for (int64_t c = 0; c < k && e->count < end; c++) {
            const int32_t v = to.ids[found.ids[i * k + c]];
            if (!taken[v]) e->row[e->count] = from.ids[i], e->col[e->count++] = v;
        }
    }
    cru_arena_destroy(scratch);
}

/* Those of `nodes` whose features are all 0. */
static cru_ids empty_ones(cru_pool pool, const cru_features *x, cru_ids nodes)
{
    int32_t *ids = cru_pool_alloc(pool, nodes.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < nodes.count; i++)
        if (cru_features_dot(x, nodes.ids[i], nodes.ids[i]) <= 0) ids[count++] = nodes.ids[i];
    return (cru_ids){ids, count};
}

cru_csr candidate_pairs(cru_pool pool, const cru_task *task, cru_ids others, const candidate_rules *rules)
{
    const cru_ids train = task->split.train;
    cru_arena *scratch = cru_arena_create();
    const cru_pool own = cru_arena_pool(scratch);
    const int64_t n = task->nodes, k = rules->k < n ? rules->k : n;
    entries e = {cru_pool_alloc(own, n * k, sizeof *e.row), cru_pool_alloc(own, n * k, sizeof *e.col), 0};
    cru_ids first[2] = {{0}};
    if (rules->empty_first) first[0] = empty_ones(own, &task->x, others), first[1] = empty_ones(own, &task->x, train);
    if (train.count && others.count) {
        join(&e, &task->x, train, others, first[0], k);
        join(&e, &task->x, others, train, first[1], k);
    }
    const cru_coo list = {.rows = n, .cols = n, .count = e.count, .row = e.row, .col = e.col};
    const cru_csr pairs = cru_csr_from_coo(pool, &list, CRU_DUP_FIRST);
    cru_arena_destroy(scratch);
    return pairs;
}
