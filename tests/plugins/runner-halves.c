// SPDX-License-Identifier: Apache-2.0
/* A generator: a ring of training and validation nodes, to each of which a test node is tied. */
#include "runner-halves.h"

#include <crucible/plugin.h>

static void link_nodes(int64_t *offsets, int32_t *ids)
{
    int64_t e = 0;
    for (int32_t i = 0; i < HALF; i++) {
        int32_t back = (i + HALF - 1) % HALF, ahead = (i + 1) % HALF;
        ids[e++] = back < ahead ? back : ahead;
        ids[e++] = back < ahead ? ahead : back;
        ids[e++] = halves_partner(i);
        offsets[i + 1] = e;
    }
    for (int32_t i = 0; i < HALF; i++) ids[e + halves_partner(i) - HALF] = i;
    for (int32_t i = 0; i < HALF; i++) offsets[HALF + i + 1] = ++e;
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    enum { NODES = 2 * HALF, EDGES = 4 * HALF };
    float *x = cru_data_alloc(data, NODES, sizeof *x);
    int64_t *offsets = cru_data_alloc(data, NODES + 1, sizeof *offsets);
    int32_t *ids = cru_data_alloc(data, EDGES, sizeof *ids), *items = cru_data_alloc(data, NODES, sizeof *items);
    data->truth = cru_data_alloc(data, NODES, sizeof *data->truth);
    data->labels = cru_data_alloc(data, NODES, sizeof *data->labels);
    data->official = cru_data_alloc(data, 1, sizeof *data->official);
    if (!x || !offsets || !ids || !items || !data->truth || !data->labels || !data->official)
        return cru_fail(l->err, CRU_NO_MEMORY, "%s: out of memory", l->source->name);
    for (int32_t i = 0; i < NODES; i++) {
        x[i] = halves_feature(i);
        items[i] = i;
        data->truth[i] = data->labels[i] = halves_label(i);
    }
    link_nodes(offsets, ids);
    data->problem = CRU_NODES;
    data->items = data->nodes = NODES;
    data->classes = HALVES_CLASSES;
    data->graph = (cru_csr){NODES, NODES, offsets, ids, NULL};
    data->x = (cru_features){.rows = NODES, .cols = 1, .dense = x};
    data->official[0] = (cru_split){.train = {items, HALVES_TRAIN},
                                    .val = {items + HALVES_TRAIN, HALF - HALVES_TRAIN},
                                    .test = {items + HALF, HALF}};
    data->official_count = 1;
    return CRU_OK;
}

static const cru_dataset vtable = {.size = sizeof(cru_dataset), .load = load};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_DATASET),
    .name = "runner-halves",
    .version = "1.0",
    .summary = "two halves, one of which is the test part",
    .problems = CRU_NODES,
    .vtable = &vtable,
};
