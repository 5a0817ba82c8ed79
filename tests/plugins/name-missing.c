// SPDX-License-Identifier: Apache-2.0
/* Has no name. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    STUB_TEXTS,
    .vtable = &stub_metric,
};
