// SPDX-License-Identifier: Apache-2.0
/* A table of settings without CRU_END, and behind it what a linker might put there. */
#include "metric-stub.h"

typedef struct settings {
    int64_t width;
} settings;

static const struct {
    cru_param schema[1];
    const char *behind[16];
} memory = {
    .schema = {CRU_INT(settings, width, 1, 1, 10, "width of something")},
    .behind = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o", "p"},
};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "schema-endless", STUB_TEXTS,
    .settings_size = sizeof(settings),  .params = memory.schema,  .vtable = &stub_metric,
};
