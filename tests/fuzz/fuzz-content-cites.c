/* Papers and citations. */
#include "../../datasets/formats/content-cites.c"

#include "format.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const roles[] = {"content", "cites", NULL};
    return format_fuzz(roles, NULL, bytes, size);
}
