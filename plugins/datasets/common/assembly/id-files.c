// SPDX-License-Identifier: Apache-2.0
#include "id-files.h"

#include <stdio.h>

#include "graph-set.h"
#include "node-data.h"
#include "source.h"

/* The file of a part; `split` -1: the only split. */
static const char *part_file(const cru_source *source, const char *part, int64_t split)
{
    char role[40];
    if (split < 0) return source_file(source, part);
    snprintf(role, sizeof role, "%s-%lld", part, (long long)split);
    return source_file(source, role);
}

typedef struct reading {
    cru_arena *arena;
    cru_data *data;
    uint8_t *taken; /* by item: whether a part of this split has it */
    cru_error *err;
} reading;

static cru_status read_part(const reading *r, const char *path, cru_ids *out)
{
    cru_data *data = r->data;
    cru_error *err = r->err;
    number_table list;
    cru_status status = number_table_read(r->arena, path, 1, &list, err);
    if (status) return status;
    int32_t *ids = cru_data_alloc(data, list.rows, sizeof *ids);
    if (!ids) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the split", path);
    for (int64_t i = 0; i < list.rows; i++) {
        if (list.numbers[i] < 0 || list.numbers[i] >= data->items)
            return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: %lld is not the number of an item", path, (long long)i + 1,
                            (long long)list.numbers[i]);
        if (r->taken[list.numbers[i]]++)
            return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: item %lld is in this split already", path, (long long)i + 1,
                            (long long)list.numbers[i]);
        ids[i] = (int32_t)list.numbers[i];
    }
    *out = (cru_ids){ids, list.rows};
    return CRU_OK;
}

cru_status id_files_read(const cru_source *source, cru_arena *arena, cru_data *data, cru_error *err)
{
    static const char *const names[] = {"train", "val", "test"};
    bool single = part_file(source, "train", -1) != NULL;
    int64_t count = single;
    while (!single && part_file(source, "train", count)) count++;
    if (count == 0) return CRU_OK;
    cru_split *splits = node_splits(data, count, err);
    cru_status status = splits ? CRU_OK : CRU_NO_MEMORY;
    for (int64_t k = 0; k < count && !status; k++) {
        const reading r = {arena, data, cru_arena_alloc_zeroed(arena, data->items, sizeof(uint8_t)), err};
        cru_ids *parts[] = {&splits[k].train, &splits[k].val, &splits[k].test};
        for (int p = 0; p < 3 && !status; p++) {
            const char *path = part_file(source, names[p], single ? -1 : k);
            if (path) status = read_part(&r, path, parts[p]);
        }
    }
    return status;
}
