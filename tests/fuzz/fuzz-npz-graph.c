/* A zip file of arrays and pickles. */
#include "../../datasets/formats/npz-graph.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graph", "split-0", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
