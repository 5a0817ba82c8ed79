// SPDX-License-Identifier: Apache-2.0
/* MATLAB files with a graph. Reads through matio. */
#include "../../plugins/datasets/readers/mat.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graph", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
