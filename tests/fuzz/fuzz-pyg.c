// SPDX-License-Identifier: Apache-2.0
/* Graphs that torch.save wrote: a pickle and tensors in a zip. */
#include "../../plugins/datasets/readers/pyg.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graph", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
