/* Edges and targets as csv, features as json, splits as a pickle. */
#include "../../datasets/formats/musae.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"edges", "target", "features", "splits", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
