// SPDX-License-Identifier: Apache-2.0
/* pyg: one graph that torch.save wrote: a Data object of torch_geometric or a dictionary of tensors.
 *
 *   graph   the file, or a zip with nothing else in it; tensors x [n x d], edge_index [2 x m], y [n] and, optionally,
 *           train_mask, val_mask, test_mask [n] or [n x splits]
 *
 * Nothing of Python is run: the pickle inside is data (pickle.h). */
#include <crucible/crucible.h>

#include "edge-array.h"
#include "matrix.h"
#include "source.h"
#include "torch-file.h"

typedef struct reading {
    const node_settings *s;
    torch_file file;
    const pickle_value *tensors; /* dictionary */
    cru_data *data;
    cru_error *err;
} reading;

static const pickle_value *state_of(const pickle_value *v)
{
    return pickle_is(v, PICKLE_OBJECT) && v->global == GLOBAL_GRAPH ? v->state : NULL;
}

/* torch_geometric 2 keeps the tensors in the mapping of a storage, version 1 in the object itself. */
static const pickle_value *find_tensors(const pickle_value *top)
{
    const pickle_value *state = state_of(top), *store = state_of(pickle_get(state, "_store"));
    const pickle_value *mapping = pickle_get(store, "_mapping");
    return mapping ? mapping : state ? state : top;
}

static cru_status get(const reading *r, const char *key, array *out)
{
    return torch_tensor(&r->file, pickle_get(r->tensors, key), key, out, r->err);
}

static cru_status read_mask(const reading *r, const array *masks, int64_t split, cru_ids *out)
{
    int64_t splits = masks->dims == 1 ? 1 : masks->shape[1];
    bool rows = masks->dims == 1 || !masks->fortran;
    node_mask mask = {masks, rows ? split : split * r->data->items, rows ? splits : 1};
    return node_mask_ids(mask, r->data, out, r->err);
}

static cru_status read_splits(const reading *r)
{
    static const char *const keys[] = {"train_mask", "val_mask", "test_mask"};
    array masks[3];
    if (!pickle_get(r->tensors, keys[0]) || pickle_is(pickle_get(r->tensors, keys[0]), PICKLE_NONE)) return CRU_OK;
    for (int p = 0; p < 3; p++) {
        cru_status status = get(r, keys[p], &masks[p]);
        const array_form form = {masks[0].dims, r->data->items, p > 0 && masks[0].dims == 2 ? masks[0].shape[1] : -1};
        if (!status) status = array_expect(&masks[p], form, r->err);
        if (status) return status;
    }
    int64_t count = masks[0].dims == 2 ? masks[0].shape[1] : 1;
    cru_split *splits = masks[0].dims <= 2 ? node_splits(r->data, count, r->err) : NULL;
    cru_status status = splits ? CRU_OK : cru_fail(r->err, CRU_BAD_INPUT, "train_mask: not one mask a split");
    for (int64_t k = 0; k < count && !status; k++) {
        status = read_mask(r, &masks[0], k, &splits[k].train);
        if (!status) status = read_mask(r, &masks[1], k, &splits[k].val);
        if (!status) status = read_mask(r, &masks[2], k, &splits[k].test);
    }
    return status;
}

static cru_status read_all(const reading *r)
{
    array x, edges, y;
    cru_status status = get(r, "y", &y);
    if (!status) status = node_labels(r->s, &y, 0, r->data, r->err);
    if (!status) status = get(r, "x", &x);
    if (!status) status = matrix_features(&x, r->data, r->err);
    if (!status) status = get(r, "edge_index", &edges);
    if (!status) status = edge_array_graph(r->s, &edges, false, r->data, r->err);
    return status ? status : read_splits(r);
}

static cru_status load(const cru_loading *l)
{
    const node_only *s = l->settings;
    const char *path;
    cru_status status = source_need(l->source, "graph", &path, l->err);
    if (status) return status;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(l->err, CRU_NO_MEMORY, "%s: no memory", path);
    cru_error why = {0};
    reading r = {.s = &s->node, .data = l->data, .err = &why};
    status = torch_open(path, arena, &r.file, &why);
    r.tensors = find_tensors(r.file.top);
    if (!status) status = read_all(&r);
    if (status) cru_fail(l->err, status, "%s: %s", path, why.text);
    torch_close(&r.file);
    cru_arena_destroy(arena);
    return status;
}

CRU_PLUGIN = {
    CRU_DATASET(.load = load),
    CRU_SETTINGS(node_only, node_only_params),
    .name = "pyg",
    .version = "1.0",
    .summary = "a graph of torch_geometric that torch.save wrote",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
};
