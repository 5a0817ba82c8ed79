// SPDX-License-Identifier: Apache-2.0
#include "image-set.h"

#include "generate.h"
#include "node-data.h"

static cru_status store_split(const image_set *set, cru_data *data, cru_error *err)
{
    if (set->train == 0 || set->test == 0) return CRU_OK;
    cru_split *split = node_splits(data, 1, err);
    int32_t *ids = split ? cru_data_alloc(data, data->items, sizeof *ids) : NULL;
    if (!ids) return cru_fail(err, CRU_NO_MEMORY, "no memory for the split");
    for (int64_t i = 0; i < data->items; i++) ids[i] = (int32_t)i;
    *split = (cru_split){.train = {ids, set->train}, .val = {ids, 0}, .test = {ids + set->train, set->test}};
    return CRU_OK;
}

cru_status image_set_begin(const image_set *set, cru_data *data, cru_error *err)
{
    enum { MOST_SIDE = 1 << 14 };
    int64_t items = set->train + set->test;
    if (items < 1 || items > INT32_MAX || set->height < 1 || set->height > MOST_SIDE || set->width < 1 ||
        set->width > MOST_SIDE)
        return cru_fail(err, CRU_BAD_INPUT, "%lld images of %lld x %lld pixels", (long long)items,
                        (long long)set->height, (long long)set->width);
    cru_status status = generate_begin(data, CRU_ROWS, items, set->classes, err);
    if (status) return status;
    if (!generate_dense(data, set->channels * set->height * set->width, err)) return CRU_NO_MEMORY;
    data->x.channels = (int32_t)set->channels;
    data->x.height = (int32_t)set->height;
    data->x.width = (int32_t)set->width;
    return store_split(set, data, err);
}

pixel_scale pixel_scale_make(double scale)
{
    pixel_scale s;
    for (int v = 0; v < 256; v++) s.value[v] = (float)(v / scale);
    return s;
}
