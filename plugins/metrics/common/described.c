// SPDX-License-Identifier: Apache-2.0
#include "described.h"

#include <crucible/graph.h>

cru_ids described_items(cru_pool pool, const cru_data *data)
{
    if (data->split.train.count) return data->split.train;
    int32_t *ids = cru_pool_alloc(pool, data->items, sizeof *ids);
    for (int32_t i = 0; i < data->items; i++) ids[i] = i;
    return (cru_ids){ids, data->items};
}

cru_csr described_graph(cru_pool pool, const cru_data *data)
{
    const cru_csr both = cru_graph_symmetrise(pool, &data->graph, CRU_SYM_OR);
    return cru_graph_loops(pool, &both, CRU_LOOPS_REMOVE);
}
