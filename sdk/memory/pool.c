#include <crucible/pool.h>

void *cru_pool_alloc(cru_pool pool, int64_t count, size_t size)
{
    void *memory = pool.alloc(pool.owner, count, size);
    if (!memory) cru_panic(CRU_NO_MEMORY, "out of memory: %lld items of %zu bytes", (long long)count, size);
    return memory;
}
