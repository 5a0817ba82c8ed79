// SPDX-License-Identifier: Apache-2.0
/* Cannot live with the largest value that its own schema allows. */
#include <stdlib.h>

#include <crucible/plugin.h>

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {CRU_FLOAT(settings, rate, 0.5, 0, 1, "share of something"), CRU_END};

static cru_status score(const cru_judging *j, double *value)
{
    if (((const settings *)j->settings)->rate == 1) abort();
    *value = 0;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "metric-brittle",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
