// SPDX-License-Identifier: Apache-2.0
/* size-imbalance-ratio: mean size of the large training items over that of the small ones.
 *
 * Nodes: the size is the number of outgoing edges, and large is the 0.8 quantile of all nodes or more.
 * Graphs: the size is the number of nodes, and large is more than the size at rank floor(0.2 G) from the top.
 * Without a split all items count.
 *
 * Qin, Yuan, Sun and others. IGL-Bench: Establishing the Comprehensive Benchmark for Imbalanced Graph Learning.
 * ICLR 2025. */
#include <crucible/graph.h>
#include <crucible/imbalance.h>

#include "described.h"

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    cru_arena *scratch = cru_arena_create();
    if (!scratch) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for sizes");
    int64_t *size = cru_arena_alloc_zeroed(scratch, data->items, sizeof *size);
    cru_sizes sizes = {.size = size, .count = data->items};
    if (data->problem == CRU_GRAPHS) {
        for (int64_t g = 0; g < data->items; g++) size[g] = data->graph_offsets[g + 1] - data->graph_offsets[g];
        sizes.head = cru_head_size(size, data->items);
    } else {
        cru_graph_out_degrees(&data->graph, size);
        sizes.head = cru_head_degree(size, data->items);
    }
    *value = cru_imbalance_of_sizes(&sizes, described_items(cru_arena_pool(scratch), data));
    cru_arena_destroy(scratch);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET | CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "size-imbalance-ratio",
    .version = "1.0",
    .summary = "mean degree of well connected training nodes over that of the others; for graphs, mean size",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_GRAPHS,
};
