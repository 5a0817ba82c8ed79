/* Tables of nodes and edges. */
#include "../../datasets/formats/geom-gcn.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"nodes", "edges", "split-0", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
