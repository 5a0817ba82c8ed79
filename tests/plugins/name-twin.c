// SPDX-License-Identifier: Apache-2.0
/* Takes the name of good-metric. */
#include "metric-stub.h"

CRU_PLUGIN = {CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "good-metric", STUB_TEXTS, .vtable = &stub_metric};
