// SPDX-License-Identifier: Apache-2.0
/* Images and labels as IDX. */
#include "../../plugins/datasets/readers/idx.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"train-images", "train-labels", "test-images", "test-labels", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
