// SPDX-License-Identifier: Apache-2.0
#include "graph-views.h"

#include <crucible/sampling.h>

enum { WALKS = 1000, STEPS = 10 };
enum { BY_WALKS, BY_NODES, BY_FEATURES, BY_EDGES, WAYS };

static bool both_stay(void *user, int64_t row, int32_t col, float value)
{
    (void)value;
    const uint8_t *stays = user;
    return stays[row] && stays[col];
}

static void meet_by_walks(cru_tape *t, const cru_csr *g, cru_rng *rng, uint8_t *stays)
{
    int32_t *starts = cru_tape_alloc(t, WALKS, sizeof *starts);
    int32_t *met = cru_tape_alloc(t, WALKS * (STEPS + 1), sizeof *met);
    for (int i = 0; i < WALKS; i++) starts[i] = (int32_t)cru_rng_below(rng, g->rows);
    cru_walk_uniform(g, (cru_ids){starts, WALKS}, STEPS, rng, met);
    for (int64_t v = 0; v < g->rows; v++) stays[v] = 0;
    for (int64_t i = 0; i < WALKS * (STEPS + 1); i++) stays[met[i]] = 1;
}

static cru_input without_columns(cru_tape *t, const cru_input *x, double change, cru_rng *rng)
{
    float *kept = cru_tape_alloc(t, x->cols, sizeof *kept);
    for (int64_t c = 0; c < x->cols; c++) kept[c] = cru_rng_uniform(rng) >= change;
    return cru_input_of(cru_mul(t, cru_input_dense(t, x), cru_tensor_upload(t, cru_1d(x->cols), kept)));
}

graph_view graph_view_draw(cru_tape *t, const cru_csr *g, const cru_input *x, double change, cru_rng *rng)
{
    const int64_t way = cru_rng_below(rng, WAYS);
    if (way == BY_FEATURES) return (graph_view){*g, without_columns(t, x, change, rng)};
    if (way == BY_EDGES || !g->rows)
        return (graph_view){cru_sample_edges(cru_tape_pool(t), g, 1 - change, false, rng), *x};
    uint8_t *stays = cru_tape_alloc(t, g->rows, 1);
    if (way == BY_WALKS)
        meet_by_walks(t, g, rng, stays);
    else
        for (int64_t v = 0; v < g->rows; v++) stays[v] = cru_rng_uniform(rng) >= change;
    return (graph_view){cru_csr_filter(cru_tape_pool(t), g, both_stay, stays), *x};
}
