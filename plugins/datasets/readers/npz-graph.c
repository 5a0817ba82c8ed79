// SPDX-License-Identifier: Apache-2.0
/* npz-graph: one graph in one .npz file. The names of its arrays tell the layout:
 *
 *   node_features, node_labels, edges [m x 2], train_masks, val_masks, test_masks [splits x n]   heterophilous-graphs
 *   x, edge_index [2 x m], y                                                                     torch-geometric's
 * names adj_data, adj_indices, adj_indptr, adj_shape, attr_... (or attr_matrix), labels              gnn-benchmark
 *   adj_matrix, node_attr, node_label: pickled scipy matrices                                    GraphData
 *
 * Further files of the roles split-0, split-1, ... hold train_mask, val_mask and test_mask of one official split each;
 * they take the place of masks in the main file. */
#include <stdio.h>

#include <crucible/crucible.h>

#include "edge-array.h"
#include "mask-files.h"
#include "matrix.h"
#include "node-data.h"
#include "npy.h"
#include "source.h"

typedef struct reading {
    const node_settings *s;
    archive *npz;
    cru_arena *arena;
    cru_data *data;
    cru_error *err;
} reading;

static cru_status get(const reading *r, const char *key, array *out)
{
    return npz_array(r->npz, r->arena, key, out, r->err);
}

static cru_status read_labels(const reading *r, const char *key)
{
    array labels;
    cru_status status = get(r, key, &labels);
    return status ? status : node_labels(r->s, &labels, 0, r->data, r->err);
}

static cru_status read_dense(const reading *r, const char *key)
{
    array x;
    cru_status status = get(r, key, &x);
    return status ? status : matrix_features(&x, r->data, r->err);
}

/* `pairs`: m x 2, else 2 x m. */
static cru_status read_edges(const reading *r, const char *key, bool pairs)
{
    array e;
    cru_status status = get(r, key, &e);
    return status ? status : edge_array_graph(r->s, &e, pairs, r->data, r->err);
}

static cru_status read_heterophilous(const reading *r)
{
    cru_status status = read_labels(r, "node_labels");
    if (!status) status = read_dense(r, "node_features");
    if (!status) status = read_edges(r, "edges", true);
    return status;
}

static cru_status read_pyg(const reading *r)
{
    cru_status status = read_labels(r, "y");
    if (!status) status = read_dense(r, "x");
    if (!status) status = read_edges(r, "edge_index", false);
    return status;
}

/* Sparse matrices in four arrays PREFIX_data, _indices, _indptr, _shape each. */
static cru_status spread_csrs(const reading *r, const char *const *prefixes, int count, cru_csr *out)
{
    enum { PARTS = 4, MOST = 2, NAME = 40 };
    static const char *const parts[PARTS] = {"data", "indices", "indptr", "shape"};
    char text[MOST * PARTS][NAME];
    const char *keys[MOST * PARTS];
    array arrays[MOST * PARTS];
    for (int i = 0; i < count * PARTS; i++) {
        snprintf(text[i], NAME, "%s_%s", prefixes[i / PARTS], parts[i % PARTS]);
        keys[i] = text[i];
    }
    cru_status status = npz_arrays(r->npz, r->arena, (member_list){keys, count * PARTS}, arrays, r->err);
    for (int i = 0; i < count && !status; i++) {
        const array *a = arrays + i * PARTS, *shape = a + 3;
        const array_range size = {0, INT32_MAX};
        csr_arrays csr = {.data = a[0], .indices = a[1], .indptr = a[2]};
        status = array_expect(shape, (array_form){1, 2, -1}, r->err);
        if (!status) status = array_whole(shape, 0, size, &csr.rows, r->err);
        if (!status) status = array_whole(shape, 1, size, &csr.cols, r->err);
        if (!status) status = matrix_csr(&csr, cru_data_pool(r->data), &out[i], r->err);
    }
    return status;
}

static cru_status store_sparse(const reading *r, const cru_csr *adjacency, const cru_csr *x)
{
    if (x->rows != r->data->nodes)
        return cru_fail(r->err, CRU_BAD_INPUT, "the features have %lld rows, but there are %lld labels",
                        (long long)x->rows, (long long)r->data->nodes);
    matrix_sparse_features(*x, r->data);
    return node_graph(r->s, adjacency, r->data, r->err);
}

static cru_status read_spread(const reading *r)
{
    static const char *const prefixes[] = {"adj", "attr"};
    const bool dense = npz_has(r->npz, "attr_matrix");
    cru_csr matrices[2];
    cru_status status = read_labels(r, "labels");
    if (!status) status = spread_csrs(r, prefixes, dense ? 1 : 2, matrices);
    if (status) return status;
    if (!dense) return store_sparse(r, &matrices[0], &matrices[1]);
    status = read_dense(r, "attr_matrix");
    return status ? status : node_graph(r->s, &matrices[0], r->data, r->err);
}

static cru_status pickled_csr(const reading *r, const array *objects, cru_csr *out)
{
    if (objects->type != ARRAY_OBJECT)
        return cru_fail(r->err, CRU_BAD_INPUT, "%s: holds numbers, not a matrix object", objects->name);
    const blob bytes = {objects->name, objects->bytes, objects->size};
    const pickle_value *top;
    csr_arrays csr;
    cru_status status = pickle_parse(&bytes, r->arena, &top, r->err);
    if (!status) status = pickle_csr(pickle_item(pickle_objects(top), 0), objects->name, &csr, r->err);
    return status ? status : matrix_csr(&csr, cru_data_pool(r->data), out, r->err);
}

static cru_status read_pickled(const reading *r)
{
    static const char *const keys[] = {"adj_matrix", "node_attr"};
    array objects[2];
    cru_csr adjacency, x;
    cru_status status = read_labels(r, "node_label");
    if (!status) status = npz_arrays(r->npz, r->arena, (member_list){keys, 2}, objects, r->err);
    if (!status) status = pickled_csr(r, &objects[0], &adjacency);
    if (!status) status = pickled_csr(r, &objects[1], &x);
    return status ? status : store_sparse(r, &adjacency, &x);
}

static cru_status read_masks(const reading *r)
{
    static const char *const keys[] = {"train_masks", "val_masks", "test_masks"};
    if (!npz_has(r->npz, keys[0])) return CRU_OK;
    array masks[3];
    cru_status status = CRU_OK;
    for (int p = 0; p < 3 && !status; p++) {
        status = get(r, keys[p], &masks[p]);
        const array_form form = {2, p > 0 ? masks[0].shape[0] : -1, r->data->items};
        if (!status) status = array_expect(&masks[p], form, r->err);
    }
    if (status) return status;
    int64_t count = masks[0].shape[0];
    cru_split *splits = node_splits(r->data, count, r->err);
    if (!splits) return CRU_NO_MEMORY;
    for (int64_t k = 0; k < count && !status; k++) {
        cru_ids *parts[] = {&splits[k].train, &splits[k].val, &splits[k].test};
        for (int p = 0; p < 3 && !status; p++) {
            const array *m = &masks[p];
            node_mask mask = {m, array_place(m, k, 0), m->fortran ? count : 1};
            status = node_mask_ids(mask, r->data, parts[p], r->err);
        }
    }
    return status;
}

static cru_status read_layout(const reading *r, const char *path)
{
    static const struct {
        const char *key;
        cru_status (*read)(const reading *r);
    } layouts[] = {
        {"node_features", read_heterophilous},
        {"edge_index", read_pyg},
        {"adj_data", read_spread},
        {"adj_matrix", read_pickled},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (npz_has(r->npz, layouts[i].key)) return layouts[i].read(r);
    return cru_fail(r->err, CRU_UNSUPPORTED,
                    "%s: none of the known layouts: it has no node_features, edge_index, "
                    "adj_data or adj_matrix",
                    path);
}

static cru_status load(const cru_loading *l)
{
    const node_only *s = l->settings;
    const char *path;
    cru_status status = source_need(l->source, "graph", &path, l->err);
    if (status) return status;
    reading r = {.s = &s->node, .arena = cru_arena_create(), .data = l->data, .err = l->err};
    if (!r.arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", path);
    status = archive_open(path, &r.npz, l->err);
    if (!status) status = read_layout(&r, path);
    if (!status)
        status =
            mask_files_count(l->source) > 0 ? mask_files_read(l->source, r.arena, l->data, l->err) : read_masks(&r);
    archive_close(r.npz);
    cru_arena_destroy(r.arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(node_only, node_only_params),
    .name = "npz-graph",
    .version = "1.0",
    .summary = "a graph in an .npz file: heterophilous-graphs, gnn-benchmark, torch-geometric or pickled scipy layout",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
