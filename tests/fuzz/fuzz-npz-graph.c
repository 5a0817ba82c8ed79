// SPDX-License-Identifier: Apache-2.0
/* A zip file of arrays and pickles. */
#include "../../plugins/datasets/readers/npz-graph.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graph", "split-0", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
