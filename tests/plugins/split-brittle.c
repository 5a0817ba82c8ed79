// SPDX-License-Identifier: Apache-2.0
/* Everybody trains. Cannot live with the largest value that its own schema allows. */
#include <stdlib.h>

#include <crucible/plugin.h>

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {CRU_FLOAT(settings, rate, 0.5, 0, 1, "share of something"), CRU_END};

static cru_status divide(const cru_dividing *d)
{
    cru_data *data = d->data;
    int32_t *ids = cru_data_alloc(data, data->items, sizeof *ids);
    int64_t count = 0;
    if (!ids) return CRU_NO_MEMORY;
    if (((const settings *)d->settings)->rate == 1) abort();
    for (int32_t i = 0; i < data->items; i++)
        if (data->truth[i] != CRU_UNLABELLED) ids[count++] = i;
    data->split.train = (cru_ids){ids, count};
    return CRU_OK;
}

static const cru_splitter vtable = {.size = sizeof(cru_splitter), .divide = divide};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_SPLIT),
    .name = "split-brittle",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
