// SPDX-License-Identifier: Apache-2.0
/* A metric that goes wrong as its setting says; else the number of judged items. */
#include "runner-faults.h"

static cru_status score(const cru_judging *j, double *value)
{
    *value = (double)j->items.count;
    return fault_happen(j->settings, j->err);
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "runner-metric",
    .version = "1.0",
    .summary = "goes wrong on demand",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .settings_size = sizeof(fault_settings),
    .params = fault_schema,
    .vtable = &vtable,
};
