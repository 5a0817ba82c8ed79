// SPDX-License-Identifier: Apache-2.0
/* Leaves a label behind that is no class. */
#include <crucible/plugin.h>

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    data->labels[data->split.train.ids[0]] = data->classes;
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "corruptor-spoils",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .vtable = &vtable,
};
