// SPDX-License-Identifier: Apache-2.0
/* Of a kind that does not exist. */
#include "metric-stub.h"

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER((cru_kind)99),
    .name = "kind-unknown",
    STUB_TEXTS,
    .vtable = &stub_metric,
};
