// SPDX-License-Identifier: Apache-2.0
/* head-tail.h: the few large items and the many small ones. */
#ifndef CORRUPTORS_HEAD_TAIL_H
#define CORRUPTORS_HEAD_TAIL_H

#include <crucible/imbalance.h>
#include <crucible/plugin.h>
#include <crucible/pool.h>

typedef struct head_tail {
    int32_t *heads, *tails;
    int64_t head_count, tail_count;
} head_tail;

/* Both sides of `items`, each in their order. */
head_tail head_tail_split(cru_pool pool, cru_ids items, const cru_sizes *sizes);

/* Of the training items the numbers that the study's tables have: heads_per_class and tails_per_class, and the mean
 * size of each, mean_of_heads and mean_of_tails; NAN where there are none. */
void head_tail_report(const cru_data *data, const cru_sizes *sizes, cru_report *report);

#endif
