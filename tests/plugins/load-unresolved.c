// SPDX-License-Identifier: Apache-2.0
/* Needs data that no library has. */
#include <crucible/plugin.h>

extern const cru_metric nobody_defines_this;

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC), .name = "load-unresolved",      .version = "1.0",
    .summary = "cannot be linked",      .vtable = &nobody_defines_this,
};
