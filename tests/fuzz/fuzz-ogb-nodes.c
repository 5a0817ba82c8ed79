// SPDX-License-Identifier: Apache-2.0
/* One graph in tables of numbers. */
#include "../../plugins/datasets/readers/ogb-nodes.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"labels", "node-features", "edges", "train", "val", "test", "splits", NULL};
    static const char *const cut[] = {"quantiles", "3", NULL};
    return format_fuzz(roles, size % 2 ? cut : NULL, bytes, size);
}
