// SPDX-License-Identifier: Apache-2.0
/* A backend without kernels. */
#include <crucible/backend.h>
#include <crucible/plugin.h>

static const cru_backend vtable = {.size = sizeof(cru_backend), .name = "hollow"};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_BACKEND), .name = "backend-hollow", .version = "1.0",
    .summary = "broken on purpose",      .vtable = &vtable,
};
