// SPDX-License-Identifier: Apache-2.0
#include "judged-part.h"

#include <stddef.h>

const char *const judged_parts[] = {"test", "val", "train", NULL};

cru_evidence evidence_of_part(const cru_evidence *evidence, int64_t part)
{
    cru_evidence copy = *evidence;
    if (part == PART_VAL) copy.items = evidence->data->split.val;
    if (part == PART_TRAIN) copy.items = evidence->data->split.train;
    return copy;
}
