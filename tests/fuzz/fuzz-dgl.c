// SPDX-License-Identifier: Apache-2.0
/* Files of dgl.save_graphs. */
#include "../../plugins/datasets/readers/dgl/dgl.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graph", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
