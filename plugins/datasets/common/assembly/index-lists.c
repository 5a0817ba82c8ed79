// SPDX-License-Identifier: Apache-2.0
#include "index-lists.h"

#include "node-data.h"
#include "npy.h"
#include "pickle-numpy.h"

static cru_status read_list(const pickle_value *list, const char *path, cru_data *data, cru_ids *out, cru_error *err)
{
    if (!pickle_is(list, PICKLE_LIST)) return cru_fail(err, CRU_BAD_INPUT, "%s: a part of a split is no list", path);
    int32_t *ids = cru_data_alloc(data, list->count, sizeof *ids);
    if (!ids) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for splits", path);
    for (int64_t i = 0; i < list->count; i++) {
        const pickle_value *v = list->items[i];
        if (v->kind != PICKLE_INT || v->integer < 0 || v->integer >= data->items)
            return cru_fail(err, CRU_BAD_INPUT, "%s: item %lld of a split is not a node number", path, (long long)i);
        ids[i] = (int32_t)v->integer;
    }
    *out = (cru_ids){ids, list->count};
    return CRU_OK;
}

static cru_status read_splits(const pickle_value *all, const char *path, cru_data *data, cru_error *err)
{
    cru_split *splits = node_splits(data, all->count, err);
    if (!splits) return CRU_NO_MEMORY;
    cru_status status = CRU_OK;
    for (int64_t k = 0; k < all->count && !status; k++) {
        const pickle_value *dict = all->items[k];
        status = read_list(pickle_get(dict, "train"), path, data, &splits[k].train, err);
        if (!status) status = read_list(pickle_get(dict, "valid"), path, data, &splits[k].val, err);
        if (!status) status = read_list(pickle_get(dict, "test"), path, data, &splits[k].test, err);
    }
    return status;
}

cru_status index_lists_read(const char *path, cru_arena *arena, cru_data *data, cru_error *err)
{
    blob file;
    array objects;
    const pickle_value *top;
    cru_status status = blob_read(arena, path, &file, err);
    if (!status) status = npy_parse(&file, &objects, err);
    if (status) return status;
    if (objects.type != ARRAY_OBJECT) return cru_fail(err, CRU_BAD_INPUT, "%s: holds no objects", path);
    status = pickle_parse(&(blob){path, objects.bytes, objects.size}, arena, &top, err);
    if (status) return status;
    const pickle_value *all = pickle_objects(top);
    if (!all) return cru_fail(err, CRU_BAD_INPUT, "%s: holds no list of splits", path);
    return read_splits(all, path, data, err);
}
