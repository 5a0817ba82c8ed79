// SPDX-License-Identifier: Apache-2.0
/* Embeddings of nodes from random walks. */
#include "graph/walk-table.h"

#include <math.h>

#include <crucible/sampling.h>

#include "memory/heap.h"

cru_walk_table cru_walk_table_create(cru_pool pool, int64_t nodes, int64_t dim, cru_rng *rng)
{
    cru_walk_table t = {.nodes = nodes, .dim = dim};
    float **parts[] = {&t.rows, &t.gradient, &t.first, &t.second};
    for (int i = 0; i < 4; i++) *parts[i] = cru_pool_alloc(pool, nodes * dim, sizeof(float));
    cru_rng_fill_normal(rng, t.rows, nodes * dim, 0, 1);
    return t;
}

static walk_learn *widest(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq"))
        return walk_learn_avx512;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
               ? walk_learn_avx2
               : walk_learn_portable;
}

void cru_walk_table_learn(cru_walk_table *table, const cru_walk_batch *batch, double *loss)
{
    cru_assert(batch->context >= 2 && batch->context <= batch->length, "walk table: windows of %lld nodes of %lld",
               (long long)batch->context, (long long)batch->length);
    const int64_t pairs = (batch->length - batch->context + 1) * (batch->context - 1);
    cru_arena *scratch = heap_arena();
    walk_list list = {.ids = batch->walked,
                      .count = batch->count,
                      .length = batch->length,
                      .context = batch->context,
                      .sign = 1,
                      .weight = (float)(1 / (double)(batch->count * pairs)),
                      .memory = cru_arena_alloc_zeroed(scratch, walk_floats(batch->length, table->dim), sizeof(float)),
                      .loss = loss};
    if (loss) *loss = 0;
    walk_learn *learn = widest();
    learn(table, &list);
    list.ids = batch->random, list.sign = -1;
    learn(table, &list);
    cru_arena_destroy(scratch);
}

static void adam(cru_walk_table *t, int64_t row, double rate)
{
    const int64_t from = row * t->dim, to = from + t->dim;
    const float lr = (float)rate;
    float *restrict x = t->rows, *restrict g = t->gradient, *restrict m = t->first, *restrict v = t->second;
    for (int64_t k = from; k < to; k++) {
        m[k] += 0.1f * (g[k] - m[k]);
        v[k] += 0.001f * (g[k] * g[k] - v[k]);
        x[k] -= lr * m[k] / (sqrtf(v[k]) + 1e-8f);
        g[k] = 0;
    }
}

/* PyTorch's: lr sqrt(1 - b2^t) / (1 - b1^t) m / (sqrt(v) + eps). */
void cru_walk_table_step(cru_walk_table *table, const cru_walk_batch *batch, double lr)
{
    cru_arena *scratch = heap_arena();
    uint8_t *named = cru_arena_alloc_zeroed(scratch, table->nodes, 1);
    const double t = (double)++table->steps, rate = lr * sqrt(1 - pow(0.999, t)) / (1 - pow(0.9, t));
    for (int64_t i = 0; i < batch->count * batch->length; i++) named[batch->walked[i]] = named[batch->random[i]] = 1;
    for (int64_t v = 0; v < table->nodes; v++)
        if (named[v]) adam(table, v, rate);
    cru_arena_destroy(scratch);
}

/* Walks from `count` / walks nodes, and random nodes after the same starts. */
typedef struct walk_lists {
    int32_t *starts, *walked, *random;
} walk_lists;
static void draw_walks(const cru_csr *g, const walk_lists *to, int64_t count, int64_t length, cru_rng *rng)
{
    cru_walk_uniform(g, (cru_ids){to->starts, count}, (int32_t)length - 1, rng, to->walked);
    for (int64_t i = 0; i < count * length; i++)
        to->random[i] = i % length ? (int32_t)cru_rng_below(rng, g->rows) : to->starts[i / length];
}

void cru_walk_table_fit(cru_walk_table *table, const cru_csr *g, const cru_walk_options *options, cru_rng *rng)
{
    const int64_t n = g->rows, size = options->batch < n ? options->batch : n, most = size * options->walks;
    cru_assert(table->nodes == n, "walk table: %lld rows for %lld nodes", (long long)table->nodes, (long long)n);
    cru_arena *scratch = heap_arena();
    int32_t *order = cru_arena_alloc(scratch, n, sizeof *order);
    const walk_lists lists = {cru_arena_alloc(scratch, most, sizeof(int32_t)),
                              cru_arena_alloc(scratch, most * options->length, sizeof(int32_t)),
                              cru_arena_alloc(scratch, most * options->length, sizeof(int32_t))};
    for (int64_t epoch = 0; epoch < options->epochs; epoch++) {
        cru_rng_permutation(rng, order, n);
        for (int64_t from = 0; from < n; from += size) {
            const int64_t count = (n - from < size ? n - from : size) * options->walks;
            for (int64_t i = 0; i < count; i++) lists.starts[i] = order[from + i / options->walks];
            draw_walks(g, &lists, count, options->length, rng);
            const cru_walk_batch batch = {lists.walked, lists.random, count, options->length, options->context};
            cru_walk_table_learn(table, &batch, NULL);
            cru_walk_table_step(table, &batch, options->lr);
        }
    }
    cru_arena_destroy(scratch);
}
