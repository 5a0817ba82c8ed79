/* A graph in arrays, with splits. */
#include "../../datasets/formats/npy-graph.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"y", "x", "edges", "splits", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
