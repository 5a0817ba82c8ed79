// SPDX-License-Identifier: Apache-2.0
/* The two layouts of LINKX: MATLAB files, and tables for what is none. */
#include "../../plugins/datasets/readers/linkx/linkx.c"
#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const mat[] = {"graph", "splits", NULL}, *const tables[] = {"nodes", "edges", "splits", NULL};
    return format_fuzz(size > 0 && bytes[0] == 'M' ? mat : tables, NULL, bytes, size);
}
