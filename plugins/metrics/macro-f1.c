// SPDX-License-Identifier: Apache-2.0
/* macro-f1: mean of F1 over the classes that are true or predicted somewhere, as scikit-learn takes it. */
#include "class-counts.h"

static double macro_f1(const class_counts *counts, cru_report *report)
{
    class_counts_report(counts, class_f1_if_any, "f1_per_class", report);
    return class_counts_mean(counts, class_f1_if_any);
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, macro_f1, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "macro-f1",
    .version = "1.0",
    .summary = "mean over the classes of the harmonic mean of precision and recall",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
