// SPDX-License-Identifier: Apache-2.0
/* Has no version. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "version-missing",
    .summary = "broken",
    .vtable = &stub_metric,
};
