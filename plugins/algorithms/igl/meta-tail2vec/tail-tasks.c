// SPDX-License-Identifier: Apache-2.0
#include "tail-tasks.h"

#include <string.h>

enum { FIRST_HOP = 50, SECOND_HOP = 25 };

static cru_ids row_of(const cru_csr *g, int64_t v)
{
    return (cru_ids){g->ids + g->offsets[v], g->offsets[v + 1] - g->offsets[v]};
}

static bool is_dense(void *user, int64_t row, int32_t col, float value)
{
    (void)row;
    (void)value;
    const uint8_t *dense = user;
    return dense[col];
}

tail_source tail_source_create(cru_ctx *ctx, const cru_task *task, int64_t sparse_degree, int64_t shots)
{
    const cru_pool pool = cru_ctx_pool(ctx);
    const cru_csr both = cru_graph_symmetrise(pool, &task->graph, CRU_SYM_OR);
    const cru_csr around = cru_graph_loops(pool, &both, CRU_LOOPS_REMOVE);
    uint8_t *dense = cru_ctx_alloc(ctx, task->nodes, 1);
    for (int64_t v = 0; v < task->nodes; v++) {
        const cru_ids near = row_of(&around, v);
        int64_t rich = 0;
        for (int64_t k = 0; k < near.count; k++) rich += row_of(&around, near.ids[k]).count > sparse_degree;
        dense[v] = rich > sparse_degree;
    }
    return (tail_source){.x = &task->x,
                         .around = around,
                         .dense = cru_csr_filter(pool, &around, is_dense, dense),
                         .shots = shots,
                         .seen = cru_ctx_alloc(ctx, task->nodes, sizeof(int32_t))};
}

/* All of them, or `most` at random in `out`. */
static cru_ids sample(cru_rng *rng, cru_ids from, int64_t most, int32_t *out)
{
    if (from.count <= most) return from;
    cru_rng_choose(rng, from.count, most, out);
    for (int64_t i = 0; i < most; i++) out[i] = from.ids[out[i]];
    return (cru_ids){out, most};
}

static void add_features(const cru_features *x, int64_t row, float *out)
{
    if (x->dense) {
        for (int64_t c = 0; c < x->cols; c++) out[c] += x->dense[row * x->cols + c];
        return;
    }
    for (int64_t e = x->sparse.offsets[row]; e < x->sparse.offsets[row + 1]; e++)
        out[x->sparse.ids[e]] += x->sparse.values ? x->sparse.values[e] : 1;
}

/* Adds those that are not yet seen; how many. */
static int64_t add_unseen(tail_source *s, cru_ids ids, float *out)
{
    int64_t count = 0;
    for (int64_t i = 0; i < ids.count; i++) {
        if (s->seen[ids.ids[i]] == s->stamp) continue;
        s->seen[ids.ids[i]] = s->stamp;
        add_features(s->x, ids.ids[i], out);
        count++;
    }
    return count;
}

/* The mean features of `first` and a sample of their neighbours, without v. */
static void mean_around(tail_source *s, int32_t v, cru_ids first, cru_rng *rng, float *out)
{
    int32_t drawn[SECOND_HOP];
    s->seen[v] = ++s->stamp;
    int64_t count = add_unseen(s, first, out);
    for (int64_t i = 0; i < first.count; i++)
        count += add_unseen(s, sample(rng, row_of(&s->around, first.ids[i]), SECOND_HOP, drawn), out);
    for (int64_t c = 0; count && c < s->x->cols; c++) out[c] /= (float)count;
}

/* Task number i, of node v. */
static void draw(tail_tasks *tasks, int64_t i, tail_source *s, int32_t v, tail_count rule, cru_rng *rng)
{
    int32_t drawn[FIRST_HOP], chosen[TAIL_MOST_SHOTS];
    const int64_t cols = s->x->cols;
    const cru_ids support = sample(rng, row_of(&s->dense, v), s->shots, chosen);
    float *share = tasks->share + i * s->shots, counted = 0;
    for (int64_t k = 0; k < s->shots; k++) {
        const int64_t at = (i * s->shots + k) * cols;
        const bool real = k < support.count;
        share[k] = rule == TAIL_COUNT_ALL || (real && (rule == TAIL_COUNT_REAL || support.ids[k] != 0));
        counted += share[k];
        if (!real) continue;
        add_features(s->x, support.ids[k], tasks->y + at);
        const cru_ids near = sample(rng, row_of(&s->around, support.ids[k]), FIRST_HOP, drawn);
        mean_around(s, support.ids[k], near, rng, tasks->x + at);
    }
    for (int64_t k = 0; counted > 0 && k < s->shots; k++) share[k] /= counted;
    mean_around(s, v, support, rng, tasks->query + i * cols);
    add_features(s->x, v, tasks->truth + i * cols);
}

static float *zeros(cru_pool pool, int64_t count)
{
    float *x = cru_pool_alloc(pool, count, sizeof *x);
    if (count) memset(x, 0, (size_t)count * sizeof *x); /* that of a tape is not */
    return x;
}

tail_tasks tail_tasks_draw(cru_pool pool, tail_source *s, cru_ids nodes, tail_count rule, cru_rng *rng)
{
    const int64_t rows = nodes.count * s->shots, cols = s->x->cols;
    tail_tasks tasks = {.count = nodes.count, .share = zeros(pool, rows)};
    tasks.x = zeros(pool, rows * cols);
    tasks.y = zeros(pool, rows * cols);
    tasks.query = zeros(pool, nodes.count * cols);
    tasks.truth = zeros(pool, nodes.count * cols);
    for (int64_t i = 0; i < nodes.count; i++) draw(&tasks, i, s, nodes.ids[i], rule, rng);
    return tasks;
}
