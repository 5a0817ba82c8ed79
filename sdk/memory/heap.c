#include "memory/heap.h"

#include <stdlib.h>

#include <crucible/status.h>

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
