// SPDX-License-Identifier: Apache-2.0
/* tu: graph classification sets as TU Dortmund publishes them, in text files NAME_*.txt.
 *
 *   edges            NAME_A: "node, node", numbered from 1 over all graphs
 *   graph-indicator  the graph of every node, numbered from 1, ascending
 *   graph-labels     the class of every graph, any whole number
 *   node-labels      optional: a whole number a node; becomes a one-hot feature
 *   train, val, test optional: a split, or several as train-0, ...: numbers of graphs from 0, one a line (id-files.h)
 *   node-attributes  optional: numbers of every node; with `attributes` they become features, before the node labels
 *
 * Edge labels and edge attributes are not used by any method here.
 *
 * Morris, Kriege, Bause, Kersting, Mutzel, Neumann. TUDataset: A Collection of Benchmark Datasets for Learning with
 * Graphs. ICML Workshop on Graph Representation Learning 2020. */
#include <string.h>

#include <crucible/crucible.h>

#include "graph-set.h"
#include "id-files.h"
#include "matrix.h"
#include "source.h"
#include "text-matrix.h"

typedef struct settings {
    bool loops, attributes;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, loops, true, "keep the self-loops that the file holds"),
    CRU_BOOL(settings, attributes, false, "use the nodes' attributes as features, too"),
    CRU_END,
};

typedef struct reading {
    const cru_source *source;
    cru_arena *arena;
    cru_error *err;
    graph_set set;
    const int64_t *graph_of; /* nodes, from 1 */
    int64_t nodes;
} reading;

static cru_status read_column(const reading *r, const char *role, const char **path, number_table *out)
{
    cru_status status = source_need(r->source, role, path, r->err);
    return status ? status : number_table_read(r->arena, *path, 1, out, r->err);
}

static cru_status read_graphs(reading *r)
{
    const char *path;
    number_table labels, indicator;
    cru_status status = read_column(r, "graph-labels", &path, &labels);
    if (!status) status = read_column(r, "graph-indicator", &path, &indicator);
    if (status) return status;
    int64_t *offsets = cru_arena_alloc_zeroed(r->arena, labels.rows + 1, sizeof *offsets);
    int64_t graph = 1;
    for (int64_t v = 0; v < indicator.rows; v++) {
        if (indicator.numbers[v] < graph || indicator.numbers[v] > labels.rows)
            return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: graph %lld, expected one of %lld..%lld", path,
                            (long long)v + 1, (long long)indicator.numbers[v], (long long)graph,
                            (long long)labels.rows);
        while (graph < indicator.numbers[v]) offsets[graph++] = v;
    }
    while (graph <= labels.rows) offsets[graph++] = indicator.rows;
    r->set.graphs = labels.rows;
    r->set.labels = labels.numbers;
    r->set.offsets = offsets;
    r->graph_of = indicator.numbers;
    r->nodes = indicator.rows;
    return CRU_OK;
}

static cru_status read_tags(reading *r)
{
    const char *path;
    number_table tags;
    if (!source_file(r->source, "node-labels")) return CRU_OK;
    cru_status status = read_column(r, "node-labels", &path, &tags);
    if (status) return status;
    if (tags.rows != r->nodes)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: %lld lines for %lld nodes", path, (long long)tags.rows,
                        (long long)r->nodes);
    r->set.tags = tags.numbers;
    return CRU_OK;
}

static cru_status read_edges(reading *r)
{
    const char *path;
    number_table pairs;
    cru_status status = source_need(r->source, "edges", &path, r->err);
    if (!status) status = number_table_read(r->arena, path, 2, &pairs, r->err);
    for (int64_t i = 0; !status && i < pairs.rows; i++) {
        int64_t from = pairs.numbers[2 * i] - 1, to = pairs.numbers[2 * i + 1] - 1;
        bool sound = from >= 0 && from < r->nodes && to >= 0 && to < r->nodes && r->nodes <= INT32_MAX;
        if (!sound || r->graph_of[from] != r->graph_of[to])
            return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: not an edge between two nodes of one graph", path,
                            (long long)i + 1);
        status = edge_list_add(&r->set.edges, (edge){from, to, 1}, r->err);
    }
    return status;
}

/* Puts the attributes before the features that the data has. */
static cru_status add_attributes(reading *r, cru_data *data)
{
    const char *path;
    text_matrix a;
    cru_status status = source_need(r->source, "node-attributes", &path, r->err);
    if (!status) status = text_matrix_read(r->arena, path, r->nodes, &a, r->err);
    if (status) return status;
    const cru_csr *tags = &data->x.sparse;
    int64_t coded = tags->offsets ? tags->cols : 0, cols = a.cols + coded;
    float *x = cru_arena_try_zeroed(r->arena, r->nodes * cols, sizeof *x);
    if (!x) return cru_fail(r->err, CRU_NO_MEMORY, "%s: no memory for features", path);
    for (int64_t v = 0; v < r->nodes; v++) {
        memcpy(x + v * cols, a.numbers + v * a.cols, (size_t)a.cols * sizeof *x);
        if (coded) x[v * cols + a.cols + tags->ids[v]] = 1;
    }
    data->x = (cru_features){0};
    return matrix_store_features(x, cols, data, r->err);
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    const settings *s = l->settings;
    reading r = {.source = l->source, .arena = cru_arena_create(), .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    r.set.name = l->source->name;
    r.set.loops = s->loops;
    cru_status status = read_graphs(&r);
    if (!status) status = read_tags(&r);
    if (!status) status = read_edges(&r);
    if (!status) status = graph_set_store(&r.set, r.arena, data, l->err);
    if (!status && s->attributes) status = add_attributes(&r, data);
    if (!status) status = id_files_read(l->source, r.arena, data, l->err);
    edge_list_free(&r.set.edges);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "tu",
    .version = "1.0",
    .summary = "many graphs in TU Dortmund's text files NAME_A, NAME_graph_indicator, ...",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
