// SPDX-License-Identifier: Apache-2.0
/* Its summary points nowhere: reading it segfaults. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "text-wild",    .version = "1.0",
    .summary = (const char *)8,         .vtable = &stub_metric,
};
