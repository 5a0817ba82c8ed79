// SPDX-License-Identifier: Apache-2.0
/* Has no vtable. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "vtable-null",
    STUB_TEXTS,
};
