// SPDX-License-Identifier: Apache-2.0
/* Many graphs in csv files, with a split. */
#include "../../plugins/datasets/readers/ogb-graphs.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"edges", "num-nodes", "num-edges", "node-features", "labels", "train",
                                        "val",   "test",      NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
