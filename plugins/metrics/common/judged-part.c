// SPDX-License-Identifier: Apache-2.0
#include "judged-part.h"

#include <stddef.h>

const char *const judged_parts[] = {"test", "val", "train", NULL};

cru_judging judging_of_part(const cru_judging *j, int64_t part)
{
    cru_judging copy = *j;
    if (part == PART_VAL) copy.items = j->data->split.val;
    if (part == PART_TRAIN) copy.items = j->data->split.train;
    return copy;
}
