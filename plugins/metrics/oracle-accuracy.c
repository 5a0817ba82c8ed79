// SPDX-License-Identifier: Apache-2.0
/* oracle-accuracy: accuracy by true labels on the validation part, where a method only sees damaged ones: what model
 * selection could rely on if somebody knew the truth. */
#include "class-counts.h"
#include "judged-part.h"

static double accuracy(const class_counts *counts, cru_report *report)
{
    (void)report;
    return (double)counts->hits / (double)counts->items;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_judging part = judging_of_part(j, ((const part_settings *)j->settings)->part);
    return class_counts_score(&part, accuracy, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(part_settings, part_params),
    .name = "oracle-accuracy",
    .version = "1.0",
    .summary = "accuracy on the validation part by its true labels",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
