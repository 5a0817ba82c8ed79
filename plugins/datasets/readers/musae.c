// SPDX-License-Identifier: Apache-2.0
/* musae: social graphs as MUSAE and LINKX publish them.
 *
 *   edges      csv with a header: two node numbers a line
 *   target     csv with a header; the column `id` numbers the nodes 0 .. n-1, the column `label` holds their class (any
 *              text)
 *   features   json: {"node": [feature, ...], ...}, the features that are 1
 *   zip        instead of these three: an archive with members *edges.csv, *target.csv and *features.json
 *   splits     optional: index-lists.h
 *
 * Rozemberczki, Allen, Sarkar. Multi-Scale Attributed Node Embedding. Journal of Complex Networks 2021. */
#include <stdlib.h>
#include <string.h>

#include <crucible/crucible.h>

#include "archive.h"
#include "csv-table.h"
#include "decimal.h"
#include "edge-text.h"
#include "index-lists.h"
#include "matrix.h"
#include "names.h"
#include "node-data.h"
#include "source.h"

typedef struct settings {
    node_settings node;
    const char *id, *label;
} settings;

static const cru_param schema[] = {
    CRU_GROUP(settings, node, node_params),
    CRU_STRING(settings, id, "id", "column of target that numbers the nodes"),
    CRU_STRING(settings, label, "target", "column of target that holds the class"),
    CRU_END,
};

typedef struct reading {
    const cru_loading *l;
    const settings *s;
    cru_arena *arena;
    blob edges, target, features;
} reading;

static cru_status read_zip(reading *r, const char *path)
{
    static const char *const endings[] = {"edges.csv", "target.csv", "features.json"};
    blob *files[] = {&r->edges, &r->target, &r->features};
    archive *zip;
    cru_status status = archive_open(path, &zip, r->l->err);
    for (int i = 0; i < 3 && !status; i++) {
        const char *member = archive_ending(zip, endings[i]);
        status = member ? archive_read(zip, r->arena, member, files[i], r->l->err)
                        : cru_fail(r->l->err, CRU_BAD_INPUT, "%s: has no member *%s", path, endings[i]);
    }
    archive_close(zip);
    return status;
}

static cru_status read_files(reading *r)
{
    static const char *const roles[] = {"edges", "target", "features"};
    blob *files[] = {&r->edges, &r->target, &r->features};
    const char *path = source_file(r->l->source, "zip");
    if (path) return read_zip(r, path);
    cru_status status = CRU_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = source_need(r->l->source, roles[i], &path, r->l->err);
        if (!status) status = blob_read(r->arena, path, files[i], r->l->err);
    }
    return status;
}

/* The class of every node: the rank of its text in `classes`. */
static cru_status rank_labels(const reading *r, const csv_table *t, const names *classes, int32_t *labels)
{
    int64_t id = csv_column(t, r->s->id), label = csv_column(t, r->s->label), nodes = t->rows - 1;
    for (int64_t i = 0; i < nodes; i++) labels[i] = CRU_UNLABELLED;
    for (int64_t row = 1; row < t->rows; row++) {
        const char *text = csv_field(t, row, id);
        cursor c = {text, text + strlen(text), t->path, t->line[row]};
        int64_t node;
        if (!cursor_whole(&c, &node) || *c.at || node < 0 || node >= nodes || labels[node] != CRU_UNLABELLED)
            return cursor_fail(&c, "not the number of a new node", r->l->err);
        labels[node] = (int32_t)names_find(classes, csv_field(t, row, label));
    }
    return CRU_OK;
}

static cru_status store_labels(const reading *r, const csv_table *t)
{
    int64_t label = csv_column(t, r->s->label);
    if (csv_column(t, r->s->id) < 0 || label < 0)
        return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: has no column '%s' or '%s'", t->path, r->s->id, r->s->label);
    if (t->rows < 2 || t->rows > INT32_MAX) return cru_fail(r->l->err, CRU_BAD_INPUT, "%s: no nodes", t->path);
    name_ref *items = malloc((size_t)t->rows * sizeof *items);
    if (!items) return cru_fail(r->l->err, CRU_NO_MEMORY, "%s: no memory for classes", t->path);
    for (int64_t row = 1; row < t->rows; row++) items[row - 1] = (name_ref){csv_field(t, row, label), row};
    names classes = names_make(items, t->rows - 1);
    int32_t *labels = cru_arena_alloc(r->arena, t->rows, sizeof *labels);
    cru_status status = rank_labels(r, t, &classes, labels);
    names_free(&classes);
    if (status) return status;
    return node_store_labels(&r->s->node, (node_label_list){t->path, labels, t->rows - 1}, r->l->data, r->l->err);
}

static cru_status read_target(const reading *r)
{
    csv_table t;
    cru_status status = csv_parse((const char *)r->target.bytes, (size_t)r->target.size, r->target.name, &t, r->l->err);
    if (status) return status;
    status = store_labels(r, &t);
    csv_free(&t);
    return status;
}

/* ---- features: the only JSON there is, an object of lists of whole numbers ------------------------------- */

static bool take(cursor *c, char sign)
{
    cursor_more(c);
    if (c->at >= c->end || *c->at != sign) return false;
    c->at++;
    return true;
}

typedef struct feature_list {
    int32_t *row, *col;
    int64_t count, cols;
} feature_list;

static cru_status read_node_features(const reading *r, cursor *c, feature_list *out)
{
    int64_t node, feature;
    if (!take(c, '"') || !cursor_whole(c, &node) || !take(c, '"') || node < 0 || node >= r->l->data->nodes)
        return cursor_fail(c, "expected the number of a node in quotes", r->l->err);
    if (!take(c, ':') || !take(c, '[')) return cursor_fail(c, "expected a list of features", r->l->err);
    while (!take(c, ']')) {
        if (!cursor_whole(c, &feature) || feature < 0 || feature >= INT32_MAX)
            return cursor_fail(c, "expected the number of a feature", r->l->err);
        out->row[out->count] = (int32_t)node;
        out->col[out->count++] = (int32_t)feature;
        if (feature >= out->cols) out->cols = feature + 1;
        if (!take(c, ',') && *c->at != ']') return cursor_fail(c, "expected a comma or the end of a list", r->l->err);
    }
    return CRU_OK;
}

static cru_status read_features(const reading *r)
{
    cursor c = {(const char *)r->features.bytes, (const char *)r->features.bytes + r->features.size, r->features.name,
                1};
    int64_t most = r->features.size / 2 + 1; /* a feature takes a digit and a separator */
    feature_list list = {cru_arena_alloc(r->arena, most, sizeof *list.row),
                         cru_arena_alloc(r->arena, most, sizeof *list.col), 0, 0};
    if (!take(&c, '{')) return cursor_fail(&c, "expected an object", r->l->err);
    while (!take(&c, '}')) {
        cru_status status = read_node_features(r, &c, &list);
        if (status) return status;
        if (!take(&c, ',') && *c.at != '}')
            return cursor_fail(&c, "expected a comma or the end of the object", r->l->err);
    }
    cru_coo entries = {r->l->data->nodes, list.cols, list.count, list.row, list.col, NULL};
    matrix_sparse_features(cru_csr_from_coo(cru_data_pool(r->l->data), &entries, CRU_DUP_FIRST), r->l->data);
    return CRU_OK;
}

static cru_status read_edges(const reading *r)
{
    edge_list list = {0};
    cru_status status = edge_text_read(&r->edges, r->l->data->nodes, &list, r->l->err);
    return node_graph_take(status, &r->s->node, &list, r->l->data, r->l->err);
}

static cru_status load(const cru_loading *l)
{
    reading r = {.l = l, .s = l->settings, .arena = cru_arena_create()};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    const char *splits = source_file(l->source, "splits");
    cru_status status = read_files(&r);
    if (!status) status = read_target(&r);
    if (!status) status = read_features(&r);
    if (!status) status = read_edges(&r);
    if (!status && splits) status = index_lists_read(splits, r.arena, l->data, l->err);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "musae",
    .version = "1.0",
    .summary = "social graphs as csv edges, csv targets and json features, as MUSAE and LINKX publish them",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
