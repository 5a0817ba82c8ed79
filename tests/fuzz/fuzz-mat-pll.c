// SPDX-License-Identifier: Apache-2.0
/* MATLAB files with candidate sets. Reads through matio. */
#include "../../plugins/datasets/readers/mat-pll.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"rows", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
