// SPDX-License-Identifier: Apache-2.0
/* A corruptor that goes wrong as its setting says; else moves one label drawn at random to the next class. */
#include "runner-faults.h"

static cru_status apply(const void *settings, cru_data *data, cru_rng *rng, cru_report *report, cru_error *err)
{
    int64_t item = data->split.train.ids[cru_rng_below(rng, data->split.train.count)];
    data->labels[item] = (data->labels[item] + 1) % data->classes;
    cru_report_number(report, "item", (double)item);
    return fault_happen(settings, err);
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
