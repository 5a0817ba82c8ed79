// SPDX-License-Identifier: Apache-2.0
/* weighted-f1: mean of F1 over the classes, each weighing as many items as it has. */
#include "class-counts.h"

static double weighted_f1(const class_counts *counts, cru_report *report)
{
    double sum = 0;
    (void)report;
    for (int32_t c = 0; c < counts->classes; c++) sum += (double)counts->of[c].actual * class_f1(&counts->of[c]);
    return sum / (double)counts->items;
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, weighted_f1, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "weighted-f1",
    .version = "1.0",
    .summary = "mean F1 of the classes, weighted by their size",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
