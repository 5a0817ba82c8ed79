// SPDX-License-Identifier: Apache-2.0
/* balanced-accuracy: mean of the recall of each class that occurs among the judged items. */
#include "class-counts.h"

static double balanced_accuracy(const class_counts *counts, cru_report *report)
{
    class_counts_report(counts, class_recall, "recall_per_class", report);
    return class_counts_mean(counts, class_recall);
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, balanced_accuracy, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "balanced-accuracy",
    .version = "1.0",
    .summary = "mean over the classes of the share predicted right",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
