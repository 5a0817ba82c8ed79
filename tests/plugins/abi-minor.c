// SPDX-License-Identifier: Apache-2.0
/* Built for a newer minor version of the ABI. */
#include "metric-stub.h"

CRU_PLUGIN = {
    .abi_major = CRU_ABI_MAJOR,
    .abi_minor = CRU_ABI_MINOR + 1,
    .size = sizeof(cru_plugin),
    .kind = CRU_KIND_METRIC,
    .name = "abi-minor",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
