// SPDX-License-Identifier: Apache-2.0
/* A metric that divides by zero. */
#include <math.h>

#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    (void)j;
    *value = INFINITY;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "metric-infinite",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .vtable = &vtable,
};
