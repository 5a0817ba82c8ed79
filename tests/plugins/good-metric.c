// SPDX-License-Identifier: Apache-2.0
/* The number of judged items; lower is better, so that the flag can be seen. */
#include <math.h>

#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    *value = j->items.count ? (double)j->items.count : NAN;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_LOWER_IS_BETTER, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "good-metric",
    .version = "1.0",
    .summary = "number of judged items",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
