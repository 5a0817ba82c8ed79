// SPDX-License-Identifier: Apache-2.0
#include "edge-list.h"

#include <stdlib.h>

#include <crucible/graph.h>

static cru_status grow(edge_list *list, bool weighted, cru_error *err)
{
    int64_t room = list->room > 0 ? 2 * list->room : 1024;
    int32_t *from = realloc(list->from, (size_t)room * sizeof *from);
    if (from) list->from = from;
    int32_t *to = realloc(list->to, (size_t)room * sizeof *to);
    if (to) list->to = to;
    float *weight = weighted ? realloc(list->weight, (size_t)room * sizeof *weight) : NULL;
    if (weight) list->weight = weight;
    if (!from || !to || (weighted && !weight)) return cru_fail(err, CRU_NO_MEMORY, "no memory for an edge list");
    list->room = room;
    return CRU_OK;
}

cru_status edge_list_add(edge_list *list, edge e, cru_error *err)
{
    bool weighted = list->weight || e.weight != 1;
    if (list->count == list->room && grow(list, weighted, err) != CRU_OK) return CRU_NO_MEMORY;
    if (weighted && !list->weight) {
        list->weight = malloc((size_t)list->room * sizeof *list->weight);
        if (!list->weight) return cru_fail(err, CRU_NO_MEMORY, "no memory for edge weights");
        for (int64_t i = 0; i < list->count; i++) list->weight[i] = 1;
    }
    list->from[list->count] = (int32_t)e.from;
    list->to[list->count] = (int32_t)e.to;
    if (weighted) list->weight[list->count] = e.weight;
    list->count++;
    return CRU_OK;
}

cru_status edge_list_store(const edge_list *list, int64_t nodes, edge_rule rule, cru_data *data)
{
    static const int32_t none;
    cru_coo entries = {.rows = nodes,
                       .cols = nodes,
                       .count = list->count,
                       .row = list->count > 0 ? list->to : &none,
                       .col = list->count > 0 ? list->from : &none,
                       .values = list->weight};
    cru_pool pool = cru_data_pool(data);
    data->graph = cru_csr_from_coo(pool, &entries, rule == EDGE_MULTI ? CRU_DUP_SUM : CRU_DUP_FIRST);
    if (rule == EDGE_SYMMETRIC)
        data->graph = cru_graph_symmetrise(pool, &data->graph, list->weight ? CRU_SYM_MAX : CRU_SYM_OR);
    return CRU_OK;
}

void edge_list_free(edge_list *list)
{
    free(list->from);
    free(list->to);
    free(list->weight);
    *list = (edge_list){0};
}
