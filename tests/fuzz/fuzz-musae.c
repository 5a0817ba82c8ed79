// SPDX-License-Identifier: Apache-2.0
/* Edges and targets as csv, features as json, splits as a pickle. */
#include "../../plugins/datasets/readers/musae.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"edges", "target", "features", "splits", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
