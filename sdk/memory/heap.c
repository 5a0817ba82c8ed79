// SPDX-License-Identifier: Apache-2.0
#include "memory/heap.h"

#include <stdlib.h>

void *heap_alloc(int64_t count, size_t size)
{
    void *block = count < 0 ? NULL : calloc(count ? (size_t)count : 1, size);
    if (!block) cru_panic(CRU_NO_MEMORY, "out of memory: %lld items of %zu bytes", (long long)count, size);
    return block;
}

void *heap_grow(void *old, int64_t count, size_t size)
{
    void *block = count < 0 ? NULL : reallocarray(old, count ? (size_t)count : 1, size);
    if (!block) cru_panic(CRU_NO_MEMORY, "out of memory: %lld items of %zu bytes", (long long)count, size);
    return block;
}

cru_arena *heap_arena(void)
{
    cru_arena *arena = cru_arena_create();
    if (!arena) cru_panic(CRU_NO_MEMORY, "out of memory: no arena");
    return arena;
}
