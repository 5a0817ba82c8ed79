// SPDX-License-Identifier: Apache-2.0
/* Lists of successors in bits. */
#include "../../plugins/datasets/readers/webgraph.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"properties", "graph", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
