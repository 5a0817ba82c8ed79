// SPDX-License-Identifier: Apache-2.0
#include "head-tail.h"

head_tail head_tail_split(cru_pool pool, cru_ids items, const cru_sizes *sizes)
{
    head_tail sides = {.heads = cru_pool_alloc(pool, items.count, sizeof *sides.heads),
                       .tails = cru_pool_alloc(pool, items.count, sizeof *sides.tails)};
    for (int64_t i = 0; i < items.count; i++) {
        const int32_t item = items.ids[i];
        if ((double)sizes->size[item] >= sizes->head)
            sides.heads[sides.head_count++] = item;
        else
            sides.tails[sides.tail_count++] = item;
    }
    return sides;
}
