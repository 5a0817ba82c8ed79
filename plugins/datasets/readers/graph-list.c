// SPDX-License-Identifier: Apache-2.0
/* graph-list: many graphs in one text file, as DGCNN and GIN ("powerful-gnns") use them:
 *
 *     number of graphs
 *     nodes label                     then for every node of the graph:
 *     tag degree neighbour ...        neighbours are numbered from 0 within the graph
 *
 * Tags become one-hot features when there are at least two different ones; numbers behind the neighbours (attributes)
 * are not read. Further files of the roles train, val and test, or train-0, ..., hold splits: numbers of graphs from 0,
 * one a line (id-files.h).
 *
 * Zhang, Cui, Neumann, Chen. An End-to-End Deep Learning Architecture for Graph Classification. AAAI 2018. */
#include <stdlib.h>

#include <crucible/crucible.h>

#include "graph-set.h"
#include "id-files.h"
#include "source.h"
#include "text-file.h"

typedef struct settings {
    bool loops;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, loops, true, "keep the self-loops that the file holds"),
    CRU_END,
};

typedef struct reading {
    cursor text;
    cru_error *err;
    graph_set set;
    int64_t *offsets, *labels, *tags;
    int64_t most_nodes; /* room of tags */
} reading;

/* The next number on the line; it must be in lo..hi. */
static cru_status next(reading *r, int64_t lo, int64_t hi, int64_t *out)
{
    cursor_skip(&r->text, "");
    if (!cursor_whole(&r->text, out)) return cursor_fail(&r->text, "expected a whole number", r->err);
    if (*out >= lo && *out <= hi) return CRU_OK;
    return cru_fail(r->err, CRU_BAD_INPUT, "%s:%lld: %lld is not in %lld..%lld", r->text.path, (long long)r->text.line,
                    (long long)*out, (long long)lo, (long long)hi);
}

static cru_status next_line(reading *r)
{
    cursor_next_line(&r->text);
    return cursor_more(&r->text) ? CRU_OK : cursor_fail(&r->text, "the file ends too early", r->err);
}

static cru_status read_node(reading *r, int64_t first, int64_t node, int64_t count)
{
    int64_t degree, other;
    cru_status status = next_line(r);
    if (!status) status = next(r, INT32_MIN, INT32_MAX, &r->tags[first + node]);
    if (!status) status = next(r, 0, count, &degree);
    for (int64_t k = 0; !status && k < degree; k++) {
        status = next(r, 0, count - 1, &other);
        if (!status) status = edge_list_add(&r->set.edges, (edge){first + other, first + node, 1}, r->err);
    }
    return status;
}

static cru_status read_graph(reading *r, int64_t g)
{
    int64_t count, first = r->offsets[g];
    cru_status status = next_line(r);
    if (!status) status = next(r, 0, r->most_nodes - first, &count);
    if (!status) status = next(r, INT32_MIN, INT32_MAX, &r->labels[g]);
    r->offsets[g + 1] = first + (!status ? count : 0);
    for (int64_t v = 0; !status && v < count; v++) status = read_node(r, first, v, count);
    return status;
}

static cru_status read_graphs(reading *r, cru_arena *arena)
{
    int64_t size = r->text.end - r->text.at;
    r->most_nodes = size / 4 < INT32_MAX ? size / 4 : INT32_MAX; /* "0 0\n" is the shortest line of a node */
    if (!cursor_more(&r->text)) return cursor_fail(&r->text, "an empty file", r->err);
    cru_status status = next(r, 1, size / 4, &r->set.graphs);
    if (status) return status;
    r->offsets = cru_arena_alloc_zeroed(arena, r->set.graphs + 1, sizeof *r->offsets);
    r->labels = cru_arena_alloc(arena, r->set.graphs, sizeof *r->labels);
    r->tags = cru_arena_alloc(arena, r->most_nodes, sizeof *r->tags);
    for (int64_t g = 0; !status && g < r->set.graphs; g++) status = read_graph(r, g);
    r->set.offsets = r->offsets;
    r->set.labels = r->labels;
    r->set.tags = r->tags;
    return status;
}

static cru_status load(const cru_loading *l)
{
    const settings *s = l->settings;
    const char *path;
    byte_string text;
    cru_status status = source_need(l->source, "graphs", &path, l->err);
    if (status) return status;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", path);
    reading r = {.err = l->err, .set = {.name = path, .loops = s->loops}};
    status = text_file_read(arena, path, UNPACK_ALL, &text, l->err);
    if (!status) {
        r.text = (cursor){text.bytes, text.bytes + text.size, path, 1};
        status = read_graphs(&r, arena);
    }
    if (!status) status = graph_set_store(&r.set, arena, l->data, l->err);
    if (!status) status = id_files_read(l->source, arena, l->data, l->err);
    edge_list_free(&r.set.edges);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "graph-list",
    .version = "1.0",
    .summary = "many graphs in one text file, a line a node with its tag and neighbours",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
