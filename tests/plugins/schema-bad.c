// SPDX-License-Identifier: Apache-2.0
/* A default outside its own range. */
#include "metric-stub.h"

typedef struct settings {
    int64_t width;
} settings;

static const cru_param schema[] = {CRU_INT(settings, width, 0, 1, 10, "width of something"), CRU_END};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "schema-bad", STUB_TEXTS,
    .settings_size = sizeof(settings),  .params = schema,     .vtable = &stub_metric,
};
