#include "edge-array.h"

cru_status edge_array_graph(const node_settings *s, const array *edges, bool pairs, cru_data *data, cru_error *err)
{
    edge_list list = {0};
    cru_status status = array_expect(edges, (array_form){2, pairs ? -1 : 2, pairs ? 2 : -1}, err);
    if (status != CRU_OK) return status;
    const array_range nodes = {0, data->nodes - 1};
    for (int64_t i = 0, count = edges->shape[pairs ? 0 : 1]; i < count && status == CRU_OK; i++) {
        edge next = {.weight = 1};
        int64_t from = pairs ? array_place(edges, i, 0) : array_place(edges, 0, i);
        int64_t to = pairs ? array_place(edges, i, 1) : array_place(edges, 1, i);
        status = array_whole(edges, from, nodes, &next.from, err);
        if (status == CRU_OK) status = array_whole(edges, to, nodes, &next.to, err);
        if (status == CRU_OK) status = edge_list_add(&list, next, err);
    }
    if (status == CRU_OK) status = node_graph_list(s, &list, data, err);
    edge_list_free(&list);
    return status;
}
