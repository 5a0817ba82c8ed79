// SPDX-License-Identifier: Apache-2.0
/* A metric that needs candidate sets. */
#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    *value = j->data->candidates[0];
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_OF_CANDIDATES, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "runner-candidates",
    .version = "1.0",
    .summary = "needs candidate sets",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
