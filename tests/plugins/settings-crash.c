// SPDX-License-Identifier: Apache-2.0
/* Cannot live with the largest value that its own schema allows. */
#include "algorithm-stub.h"

typedef struct settings {
    int64_t width;
} settings;

static const cru_param schema[] = {CRU_INT(settings, width, 8, 1, 100, "width of a layer"), CRU_END};

static cru_status create(void **self, const cru_plugin *plugin, const void *settings_, const cru_task *task,
                         cru_ctx *ctx)
{
    if (((const settings *)settings_)->width == 100) abort();
    return stub_create(self, plugin, settings_, task, ctx);
}

static const cru_algorithm vtable = {
    .size = sizeof(cru_algorithm), .create = create, .fit = stub_fit, .predict = stub_predict};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "settings-crash",
    .version = "1.0",
    .summary = "for tests",
    .problems = STUB_PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
