// SPDX-License-Identifier: Apache-2.0
#include "mask-files.h"

#include <stdio.h>

#include "node-data.h"
#include "npy.h"
#include "source.h"

static const char *mask_file(const cru_source *source, int64_t k)
{
    char role[40];
    snprintf(role, sizeof role, "split-%lld", (long long)k);
    return source_file(source, role);
}

int64_t mask_files_count(const cru_source *source)
{
    int64_t count = 0;
    while (mask_file(source, count)) count++;
    return count;
}

static cru_status read_split(const char *path, cru_arena *arena, cru_data *data, cru_split *split, cru_error *err)
{
    static const char *const keys[] = {"train_mask", "val_mask", "test_mask"};
    cru_ids *parts[] = {&split->train, &split->val, &split->test};
    archive *npz;
    cru_status status = archive_open(path, &npz, err);
    for (int p = 0; p < 3 && !status; p++) {
        array mask;
        status = npz_array(npz, arena, keys[p], &mask, err);
        if (!status) status = array_expect(&mask, (array_form){1, data->items, -1}, err);
        if (!status) status = node_mask_ids((node_mask){&mask, 0, 1}, data, parts[p], err);
    }
    archive_close(npz);
    return status;
}

cru_status mask_files_read(const cru_source *source, cru_arena *arena, cru_data *data, cru_error *err)
{
    int64_t count = mask_files_count(source);
    cru_split *splits = node_splits(data, count, err);
    if (!splits) return CRU_NO_MEMORY;
    cru_status status = CRU_OK;
    for (int64_t k = 0; k < count && !status; k++)
        status = read_split(mask_file(source, k), arena, data, &splits[k], err);
    return status;
}
