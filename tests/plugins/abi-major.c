// SPDX-License-Identifier: Apache-2.0
/* Built for another major version of the ABI. */
#include "metric-stub.h"

CRU_PLUGIN = {
    .abi_major = CRU_ABI_MAJOR + 1,
    .abi_minor = 0,
    .size = sizeof(cru_plugin),
    .kind = CRU_KIND_METRIC,
    .name = "abi-major",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
