// SPDX-License-Identifier: Apache-2.0
/* Says that its plugin struct is smaller than any that was released. */
#include "metric-stub.h"

CRU_PLUGIN = {
    .abi_major = CRU_ABI_MAJOR,
    .abi_minor = CRU_ABI_MINOR,
    .size = 16,
    .kind = CRU_KIND_METRIC,
    .name = "struct-small",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
