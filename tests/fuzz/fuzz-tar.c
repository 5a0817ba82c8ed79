// SPDX-License-Identifier: Apache-2.0
/* Any bytes as a tar file: a member lies inside it. */
#include <stdlib.h>
#include <string.h>

#include "tar.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    cru_arena *arena = cru_arena_create();
    cru_error err = {0};
    uint8_t *copy = malloc(size + 1);
    if (!arena || !copy) abort();
    memcpy(copy, bytes, size);
    blob member;
    cru_status status = tar_member(&(blob){"fuzz", copy, (int64_t)size}, "test.bin", arena, &member, &err);
    if (status != CRU_OK && !err.text[0]) abort();
    if (status == CRU_OK && (member.bytes < copy || member.bytes + member.size > copy + size)) abort();
    free(copy);
    cru_arena_destroy(arena);
    return 0;
}
