// SPDX-License-Identifier: Apache-2.0
/* Image batches with annotations in a zip of a pickle. */
#include "../../plugins/datasets/readers/cifar.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"annotations", "counts", "test", "train-1", NULL};
    static const char *const kinds[] = {"labels", "union", NULL}, *const counts[] = {"labels", "counts", NULL};
    return format_fuzz(roles, size % 2 ? kinds : counts, bytes, size);
}
