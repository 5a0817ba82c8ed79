// SPDX-License-Identifier: Apache-2.0
/* Many graphs in one text file, and a split in three. */
#include "../../plugins/datasets/readers/graph-list.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graphs", "train", "val", "test", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
