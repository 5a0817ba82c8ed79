// SPDX-License-Identifier: Apache-2.0
#include "head-tail.h"

#include <math.h>

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

void head_tail_report(const cru_data *data, const cru_sizes *sizes, cru_report *report)
{
    double count[2] = {0}, sum[2] = {0}; /* tails, heads */
    for (int64_t i = 0; i < data->split.train.count; i++) {
        const double size = (double)sizes->size[data->split.train.ids[i]];
        const int side = size >= sizes->head;
        count[side]++;
        sum[side] += size;
    }
    cru_report_number(report, "heads_per_class", count[1] / data->classes);
    cru_report_number(report, "tails_per_class", count[0] / data->classes);
    cru_report_number(report, "mean_of_heads", count[1] > 0 ? sum[1] / count[1] : NAN);
    cru_report_number(report, "mean_of_tails", count[0] > 0 ? sum[0] / count[0] : NAN);
}
