// SPDX-License-Identifier: Apache-2.0
/* npy-graph: one graph in three .npy files, as PathNet publishes them.
 *
 *   x        numbers of every node, n x d
 *   y        the class of every node; -1 is unlabelled
 *   edges    2 x m node numbers: sources above targets
 *   splits   optional: official splits as LINKX stores them (index-lists.h)
 *
 * Sun, Deng, Yang, Wang, Xu, Huang, Cao, Wang, Chen. Beyond Homophily: Structure-aware Path Aggregation Graph Neural
 * Network. IJCAI 2022. */
#include <crucible/crucible.h>

#include "edge-array.h"
#include "index-lists.h"
#include "matrix.h"
#include "npy.h"
#include "source.h"

typedef struct settings {
    node_settings node;
} settings;

static const cru_param schema[] = {
    CRU_GROUP(settings, node, node_params),
    CRU_END,
};

static cru_status get(const cru_source *source, const char *role, cru_arena *arena, array *out, cru_error *err)
{
    const char *path;
    blob file;
    cru_status status = source_need(source, role, &path, err);
    if (!status) status = blob_read(arena, path, &file, err);
    return status ? status : npy_parse(&file, out, err);
}

static cru_status read_all(const settings *s, const cru_source *source, cru_arena *arena, cru_data *data,
                           cru_error *err)
{
    array x, y, edges;
    const char *splits = source_file(source, "splits");
    cru_status status = get(source, "y", arena, &y, err);
    if (!status) status = node_labels(&s->node, &y, 0, data, err);
    if (!status) status = get(source, "x", arena, &x, err);
    if (!status) status = matrix_features(&x, data, err);
    if (!status) status = get(source, "edges", arena, &edges, err);
    if (!status) status = edge_array_graph(&s->node, &edges, false, data, err);
    if (!status && splits) status = index_lists_read(splits, arena, data, err);
    return status;
}

static cru_status load(const cru_loading *l)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", l->source->name);
    cru_status status = read_all(l->settings, l->source, arena, l->data, l->err);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(settings, schema),
    .name = "npy-graph",
    .version = "1.0",
    .summary = "a graph in three .npy files: features, classes, edges",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
