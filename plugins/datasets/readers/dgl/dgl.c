// SPDX-License-Identifier: Apache-2.0
/* dgl: one graph in a file of dgl.save_graphs (version 2), as GADBench's archive holds them.
 *
 *   graph   node tensors `feature` [n x d], `label` [n], optional `mark` [n] (0: the label counts for nothing) and
 *           `train_masks`, `val_masks`, `test_masks` [n x k]: the official splits, fully supervised ones first; or one
 *           split as `train_mask`, `valid_mask`, `test_mask` [n]
 *
 * Little-endian; every structure begins with a magic number. dgl-file.h reads it. Several relations stay apart and
 * their union is the graph.
 *
 * Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. NeurIPS 2023. */
#include <string.h>

#include <crucible/crucible.h>

#include "dgl-file.h"
#include "matrix.h"
#include "node-data.h"
#include "source.h"

typedef struct reading {
    const node_settings *s;
    dgl_graph graph;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
} reading;

static cru_status need(const reading *r, const char *name, const array **out)
{
    *out = dgl_tensor(&r->graph, name);
    return *out ? CRU_OK : cru_fail(r->err, CRU_BAD_INPUT, "%s: has no node tensor '%s'", r->graph.name, name);
}

static cru_status read_nodes(const reading *r)
{
    const array *label, *feature, *mark = dgl_tensor(&r->graph, "mark");
    cru_status status = need(r, "label", &label);
    if (!status) status = need(r, "feature", &feature);
    if (!status) status = array_expect(label, (array_form){1, r->graph.nodes, -1}, r->err);
    if (!status && mark) status = array_expect(mark, (array_form){1, r->graph.nodes, -1}, r->err);
    if (!status) status = node_labels(r->s, label, 0, r->data, r->err);
    for (int64_t i = 0; !status && mark && i < r->data->items; i++)
        if (array_real(mark, i) == 0) r->data->truth[i] = r->data->labels[i] = CRU_UNLABELLED;
    return status ? status : matrix_features(feature, r->data, r->err);
}

static cru_status read_relation(const reading *r, const dgl_edges *e)
{
    edge_list list = {0};
    cru_status status = CRU_OK;
    const array_range nodes = {0, r->data->nodes - 1};
    for (int64_t i = 0; i < e->from.count && !status; i++) {
        edge next = {.weight = 1};
        status = array_whole(&e->from, i, nodes, &next.from, r->err);
        if (!status) status = array_whole(&e->to, i, nodes, &next.to, r->err);
        if (!status) status = edge_list_add(&list, next, r->err);
    }
    return node_graph_take(status, r->s, &list, r->data, r->err);
}

static cru_status read_edges(const reading *r)
{
    cru_pool pool = cru_data_pool(r->data);
    if (r->graph.relation_count == 1) return read_relation(r, &r->graph.relations[0]);
    cru_relation *relations = cru_pool_alloc(pool, r->graph.relation_count, sizeof *relations);
    cru_csr all = {0};
    for (int64_t k = 0; k < r->graph.relation_count; k++) {
        const dgl_edges *e = &r->graph.relations[k];
        cru_status status = read_relation(r, e);
        if (status) return status;
        char *name = cru_pool_alloc(pool, (int64_t)strlen(e->name) + 1, 1);
        relations[k] = (cru_relation){strcpy(name, e->name), r->data->graph};
        all = all.offsets ? cru_csr_add(pool, &all, 1, &r->data->graph, 1) : r->data->graph;
        all = cru_csr_pattern(&all);
    }
    r->data->graph = all;
    r->data->relations = relations;
    r->data->relation_count = (int32_t)r->graph.relation_count;
    return CRU_OK;
}

/* Masks of one split, or of several side by side; *count is 0 when there are none. */
static cru_status find_masks(const reading *r, const array *masks[3], int64_t *count)
{
    static const char *const several[] = {"train_masks", "val_masks", "test_masks"};
    static const char *const one[] = {"train_mask", "valid_mask", "test_mask"};
    const bool single = !dgl_tensor(&r->graph, several[0]);
    *count = 0;
    for (int p = 0; p < 3; p++) {
        masks[p] = dgl_tensor(&r->graph, single ? one[p] : several[p]);
        if (!masks[p]) return CRU_OK;
        const int64_t splits = masks[0]->dims == 2 ? masks[0]->shape[1] : -1;
        cru_status status = array_expect(masks[p], (array_form){single ? 1 : 2, r->data->items, splits}, r->err);
        if (status) return status;
    }
    *count = single ? 1 : masks[0]->shape[1];
    return CRU_OK;
}

static cru_status read_splits(const reading *r)
{
    const array *masks[3];
    int64_t count;
    cru_status status = find_masks(r, masks, &count);
    if (status || count == 0) return status;
    cru_split *splits = node_splits(r->data, count, r->err);
    if (!splits) return CRU_NO_MEMORY;
    for (int64_t k = 0; k < count; k++) {
        cru_ids *parts[] = {&splits[k].train, &splits[k].val, &splits[k].test};
        for (int p = 0; p < 3; p++) {
            status = node_mask_ids((node_mask){masks[p], k, count}, r->data, parts[p], r->err);
            if (status) return status;
        }
    }
    return CRU_OK;
}

static cru_status load(const cru_loading *l)
{
    const node_only *s = l->settings;
    const char *path;
    blob file;
    cru_status status = source_need(l->source, "graph", &path, l->err);
    if (status) return status;
    reading r = {.s = &s->node, .arena = cru_arena_create(), .data = l->data, .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", path);
    status = blob_read(r.arena, path, &file, l->err);
    if (!status) status = dgl_parse(&file, r.arena, &r.graph, l->err);
    if (!status) status = read_nodes(&r);
    if (!status) status = read_edges(&r);
    if (!status) status = read_splits(&r);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(node_only, node_only_params),
    .name = "dgl",
    .version = "1.0",
    .summary = "a graph in a file of dgl.save_graphs, as GADBench publishes them",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
