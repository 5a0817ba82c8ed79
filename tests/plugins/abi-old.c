// SPDX-License-Identifier: Apache-2.0
/* Built for an earlier major version of the ABI. */
#include "metric-stub.h"

CRU_PLUGIN = {
    .abi_major = 1,
    .abi_minor = 1,
    .size = sizeof(cru_plugin),
    .kind = CRU_KIND_METRIC,
    .name = "abi-old",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
