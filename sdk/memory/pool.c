// SPDX-License-Identifier: Apache-2.0
#include <crucible/pool.h>

void *cru_pool_alloc(cru_pool pool, int64_t count, size_t size)
{
    void *memory = pool.alloc(pool.owner, count, size);
    if (!memory) cru_panic(CRU_NO_MEMORY, "out of memory: %lld items of %zu bytes", (long long)count, size);
    return memory;
}

cru_ids cru_ids_rest(cru_pool pool, cru_ids part, int64_t count)
{
    uint8_t *in_part = cru_pool_alloc(pool, count, sizeof *in_part);
    int32_t *rest = cru_pool_alloc(pool, count, sizeof *rest);
    int64_t found = 0;
    for (int64_t i = 0; i < part.count; i++) {
        cru_assert(part.ids[i] >= 0 && part.ids[i] < count, "ids_rest: id %d of %lld", part.ids[i], (long long)count);
        in_part[part.ids[i]] = 1;
    }
    for (int32_t v = 0; v < count; v++)
        if (!in_part[v]) rest[found++] = v;
    return (cru_ids){rest, found};
}
