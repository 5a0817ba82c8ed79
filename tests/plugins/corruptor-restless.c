// SPDX-License-Identifier: Apache-2.0
/* Does something else each time it is applied. */
#include <crucible/plugin.h>

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    static int32_t turn;
    data->labels[data->split.train.ids[0]] = turn++ % data->classes;
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "corruptor-restless",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .vtable = &vtable,
};
