// SPDX-License-Identifier: Apache-2.0
/* Its vtable says that it is smaller than any that was released. */
#include "metric-stub.h"

static const cru_metric small = {.size = 4, .score = stub_score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "vtable-small",
    STUB_TEXTS,
    .vtable = &small,
};
