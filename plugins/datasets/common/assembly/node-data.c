// SPDX-License-Identifier: Apache-2.0
#include "node-data.h"

#include <crucible/graph.h>

#include "generate.h"

static const char *const tasks[] = {"classes", "anomaly", NULL};

const cru_param node_params[] = {
    CRU_BOOL(node_settings, directed, false, "keep the direction of edges: a node aggregates from the sources"),
    CRU_BOOL(node_settings, loops, true, "keep the self-loops that the file holds"),
    CRU_CHOICE(node_settings, task, NODE_TASK_CLASSES, tasks, "anomaly: score class 1 of two classes"),
    CRU_END,
};

const cru_param node_only_params[] = {
    CRU_GROUP(node_only, node, node_params),
    CRU_END,
};

cru_status node_store_labels(const node_settings *s, node_label_list list, cru_data *data, cru_error *err)
{
    int32_t most = 0;
    for (int64_t i = 0; i < list.count; i++)
        if (list.labels[i] > most) most = list.labels[i];
    bool anomaly = s->task == NODE_TASK_ANOMALY;
    if (anomaly && most > 1)
        return cru_fail(err, CRU_BAD_INPUT, "%s: label %d in an anomaly task, which has 0 and 1", list.name, most);
    if (list.count > INT32_MAX || most >= NODE_MOST_CLASSES)
        return cru_fail(err, CRU_BAD_INPUT, "%s: too many items or classes", list.name);
    cru_problem problem = anomaly ? CRU_ANOMALY : CRU_NODES;
    cru_status status = generate_begin(data, problem, list.count, anomaly ? 2 : most + 1, err);
    if (status) return status;
    for (int64_t i = 0; i < list.count; i++) data->truth[i] = list.labels[i];
    generate_end(data);
    return CRU_OK;
}

cru_status node_labels(const node_settings *s, const array *labels, int64_t offset, cru_data *data, cru_error *err)
{
    if (labels->type == ARRAY_OBJECT) return cru_fail(err, CRU_BAD_INPUT, "%s: no numeric labels", labels->name);
    cru_arena *arena = cru_arena_create();
    int32_t *list = arena ? cru_arena_try(arena, labels->count, sizeof *list) : NULL;
    cru_status status = list ? CRU_OK : cru_fail(err, CRU_NO_MEMORY, "%s: no memory for labels", labels->name);
    for (int64_t i = 0; i < labels->count && !status; i++) {
        int64_t label = 0;
        status = array_whole(labels, i, (array_range){offset - 1, NODE_MOST_CLASSES}, &label, err);
        list[i] = (int32_t)(label - offset);
    }
    if (!status) status = node_store_labels(s, (node_label_list){labels->name, list, labels->count}, data, err);
    cru_arena_destroy(arena);
    return status;
}

cru_status node_unlabelled(const node_settings *s, int64_t nodes, cru_data *data, cru_error *err)
{
    if (s->task == NODE_TASK_ANOMALY)
        return cru_fail(err, CRU_BAD_INPUT, "task = anomaly, but the files hold no labels");
    if (nodes > INT32_MAX) return cru_fail(err, CRU_BAD_INPUT, "too many nodes");
    cru_status status = generate_begin(data, CRU_NODES, nodes, 1, err);
    for (int64_t i = 0; !status && i < nodes; i++) data->truth[i] = CRU_UNLABELLED;
    if (!status) generate_end(data);
    return status;
}

static cru_csr without_loops(const cru_csr *g, cru_pool pool)
{
    int64_t first = 0;
    while (first < g->rows && cru_csr_find(g, first, (int32_t)first) < 0) first++;
    return first < g->rows ? cru_graph_loops(pool, g, CRU_LOOPS_REMOVE) : *g;
}

cru_status node_graph(const node_settings *s, const cru_csr *arcs, cru_data *data, cru_error *err)
{
    if (arcs->rows != data->nodes || arcs->cols != data->nodes)
        return cru_fail(err, CRU_BAD_INPUT, "the graph has %lld x %lld nodes, but there are %lld labels",
                        (long long)arcs->rows, (long long)arcs->cols, (long long)data->nodes);
    cru_pool pool = cru_data_pool(data);
    cru_csr g = *arcs;
    if (!s->loops) g = without_loops(&g, pool);
    if (s->directed)
        data->graph = cru_csr_transpose(pool, &g, NULL);
    else
        data->graph = cru_graph_symmetrise(pool, &g, g.values ? CRU_SYM_MAX : CRU_SYM_OR);
    return CRU_OK;
}

static cru_status graph_of(const node_settings *s, const edge_list *list, cru_data *data, cru_error *err)
{
    cru_status status = edge_list_store(list, data->nodes, s->directed ? EDGE_DIRECTED : EDGE_SYMMETRIC, data);
    if (status) return cru_fail(err, status, "no memory for the graph");
    if (!s->loops) data->graph = without_loops(&data->graph, cru_data_pool(data));
    return CRU_OK;
}

cru_status node_graph_take(cru_status status, const node_settings *s, edge_list *list, cru_data *data, cru_error *err)
{
    if (!status) status = graph_of(s, list, data, err);
    edge_list_free(list);
    return status;
}

cru_split *node_splits(cru_data *data, int64_t count, cru_error *err)
{
    enum { MOST_SPLITS = 10000 };
    data->official = count <= MOST_SPLITS ? cru_data_alloc(data, count, sizeof *data->official) : NULL;
    if (!data->official) {
        cru_fail(err, CRU_NO_MEMORY, "no memory for %lld splits", (long long)count);
        return NULL;
    }
    data->official_count = (int32_t)count;
    return data->official;
}

cru_status node_mask_ids(node_mask mask, cru_data *data, cru_ids *out, cru_error *err)
{
    int64_t count = 0;
    for (int64_t i = 0; i < data->items; i++) count += array_real(mask.masks, mask.first + i * mask.step) != 0;
    int32_t *ids = cru_data_alloc(data, count, sizeof *ids);
    if (!ids && count > 0) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for splits", mask.masks->name);
    *out = (cru_ids){ids, count};
    for (int64_t i = 0, next = 0; i < data->items; i++)
        if (array_real(mask.masks, mask.first + i * mask.step) != 0) ids[next++] = (int32_t)i;
    return CRU_OK;
}
