// SPDX-License-Identifier: Apache-2.0
/* Has no summary. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "summary-missing",
    .version = "1.0",
    .vtable = &stub_metric,
};
