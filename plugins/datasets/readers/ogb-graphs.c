// SPDX-License-Identifier: Apache-2.0
/* ogb-graphs: graph property sets as the Open Graph Benchmark publishes them, in csv.gz files without headers.
 *
 *   num-nodes, num-edges   nodes and edges of every graph
 *   edges                  "node,node", numbered from 0 within the graph, graph after graph, each edge once
 *   node-features          numbers of every node
 *   labels                 the class of every graph
 *   train, val, test       the official split: numbers of graphs
 *
 * Edge features are not used by any method here.
 *
 * Hu, Fey, Zitnik, Dong, Ren, Liu, Catasta, Leskovec. Open Graph Benchmark. NeurIPS 2020. */
#include <crucible/crucible.h>

#include "graph-set.h"
#include "id-files.h"
#include "matrix.h"
#include "source.h"
#include "text-matrix.h"

typedef struct reading {
    const cru_source *source;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
    graph_set set;
    text_matrix x; /* features */
} reading;

static cru_status read_table(const reading *r, const char *role, int64_t columns, number_table *out)
{
    const char *path;
    cru_status status = source_need(r->source, role, &path, r->err);
    return status ? status : number_table_read(r->arena, path, columns, out, r->err);
}

static cru_status fail_sizes(const reading *r, const char *what)
{
    return cru_fail(r->err, CRU_BAD_INPUT, "%s: the files do not agree on the number of %s", r->source->name, what);
}

static cru_status read_offsets(reading *r, const char *role, int64_t **out)
{
    number_table sizes;
    cru_status status = read_table(r, role, 1, &sizes);
    if (status) return status;
    if (sizes.rows != r->set.graphs) return fail_sizes(r, "graphs");
    int64_t *offsets = cru_arena_alloc_zeroed(r->arena, sizes.rows + 1, sizeof *offsets);
    for (int64_t g = 0; g < sizes.rows; g++) {
        if (sizes.numbers[g] < 0 || sizes.numbers[g] > INT32_MAX) return fail_sizes(r, "nodes");
        offsets[g + 1] = offsets[g] + sizes.numbers[g];
    }
    *out = offsets;
    return CRU_OK;
}

static cru_status read_edges(reading *r)
{
    int64_t *first;
    number_table pairs;
    cru_status status = read_offsets(r, "num-edges", &first);
    if (!status) status = read_table(r, "edges", 2, &pairs);
    if (status) return status;
    if (pairs.rows != first[r->set.graphs]) return fail_sizes(r, "edges");
    for (int64_t g = 0; g < r->set.graphs; g++) {
        int64_t start = r->set.offsets[g], nodes = r->set.offsets[g + 1] - start;
        for (int64_t i = first[g]; i < first[g + 1] && !status; i++) {
            int64_t from = pairs.numbers[2 * i], to = pairs.numbers[2 * i + 1];
            if (from < 0 || from >= nodes || to < 0 || to >= nodes)
                return cru_fail(r->err, CRU_BAD_INPUT, "%s: edge %lld leaves graph %lld", r->source->name, (long long)i,
                                (long long)g);
            status = edge_list_add(&r->set.edges, (edge){start + from, start + to, 1}, r->err);
        }
    }
    return status;
}

/* Before anything of the size of the graph is made: the file has a line a node, so what the other files claim of nodes
 * is true when it can be read. */
static cru_status read_features(reading *r, int64_t nodes)
{
    const char *path;
    cru_status status = source_need(r->source, "node-features", &path, r->err);
    return status ? status : text_matrix_read(r->arena, path, nodes, &r->x, r->err);
}

static cru_status read_graphs(reading *r)
{
    number_table labels;
    int64_t *offsets;
    cru_status status = read_table(r, "labels", 1, &labels);
    if (status) return status;
    r->set.graphs = labels.rows;
    r->set.labels = labels.numbers;
    status = read_offsets(r, "num-nodes", &offsets);
    if (status) return status;
    if (offsets[labels.rows] > INT32_MAX) return fail_sizes(r, "nodes");
    r->set.offsets = offsets;
    status = read_features(r, offsets[labels.rows]);
    if (!status) status = read_edges(r);
    return status ? status : graph_set_store(&r->set, r->arena, r->data, r->err);
}

static cru_status load(const cru_loading *l)
{
    cru_data *data = l->data;
    reading r = {.source = l->source, .arena = cru_arena_create(), .data = data, .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    r.set.name = l->source->name;
    r.set.loops = true;
    cru_status status = read_graphs(&r);
    if (!status) status = matrix_store_features(r.x.numbers, r.x.cols, data, l->err);
    if (!status) status = id_files_read(l->source, r.arena, data, l->err);
    edge_list_free(&r.set.edges);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    .name = "ogb-graphs",
    .version = "1.0",
    .summary = "many graphs in the csv.gz files of the Open Graph Benchmark, with its split",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
