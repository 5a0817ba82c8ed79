// SPDX-License-Identifier: Apache-2.0
/* accuracy: share of the judged items whose highest score is the true class. Not defined on no items. */
#include "class-counts.h"

static double accuracy(const class_counts *counts, cru_report *report)
{
    (void)report;
    return (double)counts->hits / (double)counts->items;
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, accuracy, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "accuracy",
    .version = "1.0",
    .summary = "share of items whose highest score is the true class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
