// SPDX-License-Identifier: Apache-2.0
/* Many graphs in four text files, and a split in three. */
#include "../../plugins/datasets/readers/tu.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {
        "edges", "graph-indicator", "graph-labels", "node-labels", "train", "val", "test", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
