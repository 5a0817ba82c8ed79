/* Many graphs in one text file. */
#include "../../datasets/formats/graph-list.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"graphs", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
