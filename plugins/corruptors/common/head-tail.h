// SPDX-License-Identifier: Apache-2.0
/* head-tail.h: the few large items and the many small ones. */
#ifndef CORRUPTORS_HEAD_TAIL_H
#define CORRUPTORS_HEAD_TAIL_H

#include <crucible/imbalance.h>
#include <crucible/pool.h>

typedef struct head_tail {
    int32_t *heads, *tails;
    int64_t head_count, tail_count;
} head_tail;

/* Both sides of `items`, each in their order. */
head_tail head_tail_split(cru_pool pool, cru_ids items, const cru_sizes *sizes);

#endif
