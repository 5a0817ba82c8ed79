// SPDX-License-Identifier: Apache-2.0
/* micro-f1: F1 of all decisions together.
 *
 *     2 TP / (2 TP + FP + FN)      summed over the classes
 *
 * Every wrong item is one FP and one FN, so with one label an item this is the accuracy. */
#include "class-counts.h"

static double micro_f1(const class_counts *counts, cru_report *report)
{
    (void)report;
    return (double)counts->hits / (double)counts->items;
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, micro_f1, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "micro-f1",
    .version = "1.0",
    .summary = "F1 of all decisions together; the accuracy when every item has one label",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
