// SPDX-License-Identifier: Apache-2.0
/* A graph in arrays, with splits. */
#include "../../plugins/datasets/readers/npy-graph.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"y", "x", "edges", "splits", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
