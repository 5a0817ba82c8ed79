// SPDX-License-Identifier: Apache-2.0
#include "judged-part.h"

#include <stddef.h>

#include <crucible/params.h>

const char *const judged_parts[] = {"test", "val", "train", NULL};

const cru_param part_params[] = {
    CRU_CHOICE(part_settings, part, PART_VAL, judged_parts, "part of the split that is judged"),
    CRU_END,
};

cru_judging judging_of_part(const cru_judging *j, int64_t part)
{
    cru_judging copy = *j;
    if (part == PART_VAL) copy.items = j->data->split.val;
    if (part == PART_TRAIN) copy.items = j->data->split.train;
    return copy;
}
