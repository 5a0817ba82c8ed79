// SPDX-License-Identifier: Apache-2.0
#include "edge-array.h"

cru_status edge_array_graph(const node_settings *s, const array *edges, bool pairs, cru_data *data, cru_error *err)
{
    edge_list list = {0};
    cru_status status = array_expect(edges, (array_form){2, pairs ? -1 : 2, pairs ? 2 : -1}, err);
    if (status) return status;
    cru_arena *arena = cru_arena_create();
    int32_t *ids = arena ? cru_arena_try(arena, edges->count, sizeof *ids) : NULL;
    status = ids ? array_ids(edges, (array_range){0, data->nodes - 1}, ids, err)
                 : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for edges", edges->name);
    for (int64_t i = 0, count = edges->shape[pairs ? 0 : 1]; i < count && !status; i++) {
        int32_t from = ids[pairs ? array_place(edges, i, 0) : array_place(edges, 0, i)];
        int32_t to = ids[pairs ? array_place(edges, i, 1) : array_place(edges, 1, i)];
        status = edge_list_add(&list, (edge){from, to, 1}, err);
    }
    status = node_graph_take(status, s, &list, data, err);
    cru_arena_destroy(arena);
    return status;
}
