// SPDX-License-Identifier: Apache-2.0
/* A metric that tries what none needs; its value is how much of it worked. */
#include <crucible/plugin.h>

#include "hostile-break-out.h"

typedef struct settings {
    const char *file;
} settings;

static const cru_param schema[] = {
    CRU_STRING(settings, file, "", "a file that it may not read"),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    *value = break_out(((const settings *)j->settings)->file);
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "hostile-metric",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
