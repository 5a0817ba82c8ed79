// SPDX-License-Identifier: Apache-2.0
/* Papers and citations. */
#include "../../plugins/datasets/readers/content-cites.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"content", "cites", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
