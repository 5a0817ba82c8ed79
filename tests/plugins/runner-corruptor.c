// SPDX-License-Identifier: Apache-2.0
/* A corruptor that goes wrong as its setting says; else moves one label drawn at random to the next class. */
#include "runner-faults.h"

static cru_status apply(const cru_damage *d)
{
    cru_data *data = d->data;
    int64_t item = data->split.train.ids[cru_rng_below(d->rng, data->split.train.count)];
    data->labels[item] = (data->labels[item] + 1) % data->classes;
    cru_report_number(d->report, "item", (double)item);
    return fault_happen(d->settings, d->err);
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "runner-corruptor",
    .version = "1.0",
    .summary = "goes wrong on demand",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .settings_size = sizeof(fault_settings),
    .params = fault_schema,
    .vtable = &vtable,
};
