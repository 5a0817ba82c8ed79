// SPDX-License-Identifier: Apache-2.0
/* Images with candidate sets in a pickle. */
#include "../../plugins/datasets/readers/plcifar10.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"annotations", "test", "train-1", NULL};
    static const char *const vaguest[] = {"rule", "vaguest", NULL};
    return format_fuzz(roles, size % 2 ? vaguest : NULL, bytes, size);
}
