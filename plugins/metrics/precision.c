// SPDX-License-Identifier: Apache-2.0
/* precision: mean of hit / predicted over the classes that are true or predicted somewhere, 0 for one that is never
 * predicted, as scikit-learn takes it. */
#include <math.h>

#include "class-counts.h"

static double class_precision(const class_count *count)
{
    if (!count->actual && !count->predicted) return NAN;
    return count->predicted ? (double)count->hit / (double)count->predicted : 0;
}

static double macro_precision(const class_counts *counts, cru_report *report)
{
    class_counts_report(counts, class_precision, "precision_per_class", report);
    return class_counts_mean(counts, class_precision);
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, macro_precision, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "precision",
    .version = "1.0",
    .summary = "mean over the classes of the share of their predictions that is right",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
