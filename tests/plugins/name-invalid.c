// SPDX-License-Identifier: Apache-2.0
/* Has a name that cannot be a section of an INI file. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "Not A Name",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
