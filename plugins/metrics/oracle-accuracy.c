// SPDX-License-Identifier: Apache-2.0
/* oracle-accuracy: accuracy by true labels on the validation part, where a method only sees damaged ones: what model
 * selection could rely on if somebody knew the truth. */
#include "class-counts.h"
#include "judged-part.h"

typedef struct settings {
    int64_t part;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, part, PART_VAL, judged_parts, "part of the split that is judged"),
    CRU_END,
};

static double accuracy(const class_counts *counts, cru_report *report)
{
    (void)report;
    return (double)counts->hits / (double)counts->items;
}

static cru_status score(const cru_judging *j, double *value)
{
    const cru_judging part = judging_of_part(j, ((const settings *)j->settings)->part);
    return class_counts_score(&part, accuracy, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "oracle-accuracy",
    .version = "1.0",
    .summary = "accuracy on the validation part by its true labels",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
