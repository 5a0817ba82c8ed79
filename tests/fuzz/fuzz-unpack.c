/* Any bytes as a packed file: unpacked or refused, never more than the limit. */
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    memcpy(text, bytes, size);
    text[size] = 0;
    size_t unpacked = size;
    cru_error err = {0};
    cru_status status = unpack("fuzz", &text, &unpacked, size % 2 ? UNPACK_ALL : UNPACK_STREAMS, &err);
    if (status == CRU_OK && (unpacked > unpack_limit(size) || text[unpacked] != 0)) abort();
    if (status != CRU_OK && !err.text[0]) abort();
    free(text);
    return 0;
}
