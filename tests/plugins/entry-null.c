// SPDX-License-Identifier: Apache-2.0
/* An algorithm that cannot predict. */
#include "algorithm-stub.h"

static const cru_algorithm vtable = {.size = sizeof(cru_algorithm), .create = stub_create, .fit = stub_fit};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM), .name = "entry-null",  .version = "1.0",
    .summary = "broken on purpose",        .problems = CRU_NODES, .vtable = &vtable,
};
