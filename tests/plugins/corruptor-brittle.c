// SPDX-License-Identifier: Apache-2.0
/* Cannot live with the largest value that its own schema allows. */
#include <stdlib.h>

#include <crucible/plugin.h>

typedef struct settings {
    double rate;
} settings;

static const cru_param schema[] = {CRU_FLOAT(settings, rate, 0.5, 0, 1, "share of something"), CRU_END};

static cru_status apply(const cru_damage *d)
{
    if (((const settings *)d->settings)->rate == 1) abort();
    return CRU_OK;
}

static const cru_corruptor vtable = {.size = sizeof(cru_corruptor), .apply = apply};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_CORRUPTOR),
    .name = "corruptor-brittle",
    .version = "1.0",
    .summary = "for tests",
    .problems = CRU_NODES,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
