// SPDX-License-Identifier: Apache-2.0
/* drop-edges: every edge is lost with the same probability. Both directions of a pair share their fate, and so do the
 * copies of an edge in several relations. Self-loops stay.
 *
 * What is reported counts pairs on an undirected graph and directed edges on any other, without self-loops.
 *
 * The fate of a pair is a function of the pair and the stream, so nothing is stored and no edge is looked up. */
#include <math.h>

#include <crucible/draft/random.h>
#include <crucible/graph.h>

#include "edge-list.h"

enum { PROBLEMS = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY };

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "probability that an edge is lost"),
    CRU_END,
};

typedef struct fate {
    double rate;
    uint32_t key[2];
} fate;

static bool survives(void *user, int64_t row, int32_t col, float value)
{
    const fate *f = user;
    (void)value;
    if (row == col) return true;
    const uint32_t a = (uint32_t)row, b = (uint32_t)col;
    const uint32_t counter[4] = {a < b ? a : b, a < b ? b : a, 0, 0};
    uint32_t word[4];
    cru_philox(f->key, counter, word);
    return (double)word[0] * 0x1p-32 >= f->rate;
}

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    fate f = {.rate = ((const settings *)d->settings)->rate};
    const int64_t before = edge_count(&data->graph), entries = cru_csr_nnz(&data->graph);
    const bool both = cru_graph_is_symmetric(&data->graph);
    f.key[0] = cru_rng_u32(d->rng);
    f.key[1] = cru_rng_u32(d->rng);
    data->graph = cru_csr_filter(cru_data_pool(data), &data->graph, survives, &f);
    for (int32_t r = 0; r < data->relation_count; r++)
        data->relations[r].graph = cru_csr_filter(cru_data_pool(data), &data->relations[r].graph, survives, &f);
    const int64_t lost = (entries - cru_csr_nnz(&data->graph)) / (both ? 2 : 1);
    cru_report_number(d->report, "edges_lost", (double)lost);
    cru_report_number(d->report, "edge_loss_rate", before ? (double)lost / (double)before : NAN);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),     CRU_SETTINGS(settings, schema),    .name = "drop-edges",    .version = "1.1",
    .summary = "edges lost at a rate", .authors = "The Crucible authors", .license = "Apache-2.0", .problems = PROBLEMS,
};
