// SPDX-License-Identifier: Apache-2.0
/* Planetoid: pickles of arrays, matrices and a dictionary. */
#include "../../plugins/datasets/readers/planetoid.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"y", "ally", "ty", "test-index", "allx", "tx", "graph", "x", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
