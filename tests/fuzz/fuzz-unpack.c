// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a packed file: unpacked or refused, never more than the limit. */
#include <stdlib.h>
#include <string.h>

#include "unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cru_arena *arena = cru_arena_create();
    byte_string text = {cru_arena_alloc(arena, (int64_t)size + 1, 1), size};
    memcpy(text.bytes, bytes, size);
    text.bytes[size] = 0;
    cru_error err = {0};
    cru_status status = unpack("fuzz", arena, &text, size % 2 ? UNPACK_ALL : UNPACK_STREAMS, &err);
    if (status == CRU_OK && (text.size > unpack_limit(size) || text.bytes[text.size] != 0)) abort();
    if (status != CRU_OK && !err.text[0]) abort();
    cru_arena_destroy(arena);
    return 0;
}
