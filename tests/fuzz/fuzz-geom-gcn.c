// SPDX-License-Identifier: Apache-2.0
/* Tables of nodes and edges. */
#include "../../plugins/datasets/readers/geom-gcn.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"nodes", "edges", "split-0", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
