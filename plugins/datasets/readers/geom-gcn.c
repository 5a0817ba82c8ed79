// SPDX-License-Identifier: Apache-2.0
/* geom-gcn: graphs as Geom-GCN publishes them.
 *
 *   nodes     out1_node_feature_label.txt: a header, then "id <tab> features <tab> label" in any order of ids, which
 *             are 0 .. n-1. Features are comma-separated numbers, or the numbers of the columns that hold 1.
 *   edges     out1_graph_edges.txt: a header, then "source <tab> target"
 *   split-0 ...   mask-files.h
 *
 * Pei, Wei, Chang, Lei, Yang. Geom-GCN: Geometric Graph Convolutional Networks. ICLR 2020. */
#include <crucible/crucible.h>

#include "decimal.h"
#include "edge-text.h"
#include "mask-files.h"
#include "matrix.h"
#include "node-data.h"
#include "source.h"

typedef struct settings {
    node_settings node;
    int64_t features;
} settings;

enum { FEATURES_VALUES, FEATURES_INDICES };
static const char *const feature_kinds[] = {"values", "indices", NULL};

static const cru_param schema[] = {
    CRU_GROUP(settings, node, node_params),
    CRU_CHOICE(settings, features, FEATURES_VALUES, feature_kinds,
               "what the list of a node means: numbers, or columns"),
    CRU_END,
};

typedef struct reading {
    const settings *s;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    int64_t nodes, entries, cols;
    int32_t *labels;
    int32_t *row, *col; /* of the feature entries */
    float *value;
} reading;

static cru_status open_text(const reading *r, const cru_source *source, const char *role, blob *file)
{
    const char *path;
    cru_status status = source_need(source, role, &path, r->err);
    return status ? status : blob_read(r->arena, path, file, r->err);
}

static int64_t count_lines(cursor c)
{
    int64_t count = 0;
    for (; cursor_more(&c); cursor_next_line(&c)) count++;
    return count;
}

/* One number of a node's list; `place` counts them. */
static cru_status read_feature(reading *r, cursor *c, int64_t node, int64_t place)
{
    double value = 1;
    int64_t column = place;
    bool indices = r->s->features == FEATURES_INDICES;
    bool sound = indices ? cursor_whole(c, &column) : cursor_real(c, &value);
    if (!sound || column < 0 || column >= INT32_MAX) return cursor_fail(c, "expected a feature", r->err);
    if (column >= r->cols) r->cols = column + 1;
    if (value == 0) return CRU_OK;
    r->row[r->entries] = (int32_t)node;
    r->col[r->entries] = (int32_t)column;
    r->value[r->entries++] = (float)value;
    return CRU_OK;
}

static cru_status read_node(reading *r, cursor *c)
{
    int64_t node, label, place = 0;
    if (!cursor_whole(c, &node) || node < 0 || node >= r->nodes) return cursor_fail(c, "not a node number", r->err);
    if (r->labels[node] != CRU_UNLABELLED) return cursor_fail(c, "a node for the second time", r->err);
    if (*c->at++ != '\t') return cursor_fail(c, "expected a tab behind the node number", r->err);
    while (*c->at != '\t') {
        if (place > 0 && *c->at++ != ',') return cursor_fail(c, "expected a comma or a tab", r->err);
        cru_status status = read_feature(r, c, node, place++);
        if (status) return status;
    }
    cursor_skip(c, "");
    if (!cursor_whole(c, &label) || label < 0 || label >= NODE_MOST_CLASSES)
        return cursor_fail(c, "expected a label", r->err);
    cursor_skip(c, "");
    if (!cursor_at_line_end(c)) return cursor_fail(c, "something follows the label", r->err);
    r->labels[node] = (int32_t)label;
    return CRU_OK;
}

static cru_status read_nodes(reading *r, const cru_source *source)
{
    blob file;
    cru_status status = open_text(r, source, "nodes", &file);
    if (status) return status;
    cursor c = {(const char *)file.bytes, (const char *)file.bytes + file.size, file.name, 1};
    cursor_next_line(&c); /* the header */
    r->nodes = count_lines(c);
    int64_t most = (c.end - c.at) / 2 + 1; /* an entry takes a digit and a separator */
    r->labels = cru_arena_alloc(r->arena, r->nodes, sizeof *r->labels);
    r->row = cru_arena_alloc(r->arena, most, sizeof *r->row);
    r->col = cru_arena_alloc(r->arena, most, sizeof *r->col);
    r->value = cru_arena_alloc(r->arena, most, sizeof *r->value);
    for (int64_t i = 0; i < r->nodes; i++) r->labels[i] = CRU_UNLABELLED;
    for (; cursor_more(&c) && !status; cursor_next_line(&c)) status = read_node(r, &c);
    if (status) return status;
    status = node_store_labels(&r->s->node, (node_label_list){c.path, r->labels, r->nodes}, r->data, r->err);
    if (status) return status;
    bool ones = true;
    for (int64_t i = 0; i < r->entries; i++) ones = ones && r->value[i] == 1;
    cru_coo entries = {r->nodes, r->cols, r->entries, r->row, r->col, ones ? NULL : r->value};
    matrix_sparse_features(cru_csr_from_coo(cru_data_pool(r->data), &entries, CRU_DUP_FIRST), r->data);
    return CRU_OK;
}

static cru_status read_edges(const reading *r, const cru_source *source)
{
    blob file;
    edge_list list = {0};
    cru_status status = open_text(r, source, "edges", &file);
    if (!status) status = edge_text_read(&file, r->nodes, &list, r->err);
    return node_graph_take(status, &r->s->node, &list, r->data, r->err);
}

static cru_status load(const cru_loading *l)
{
    reading r = {.s = l->settings, .arena = cru_arena_create(), .data = l->data, .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = read_nodes(&r, l->source);
    if (!status) status = read_edges(&r, l->source);
    if (!status && mask_files_count(l->source) > 0) status = mask_files_read(l->source, r.arena, l->data, l->err);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "geom-gcn",
    .version = "1.0",
    .summary = "graphs in Geom-GCN's two text files, with its splits",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
