// SPDX-License-Identifier: Apache-2.0
/* g-mean: geometric mean of the recall of each class that occurs among the judged items; 0 as soon as one class is
 * never found. */
#include <math.h>

#include "class-counts.h"

static double g_mean(const class_counts *counts, cru_report *report)
{
    double sum = 0; /* of logarithms: a product of many recalls would underflow */
    int32_t present = 0;
    (void)report;
    for (int32_t c = 0; c < counts->classes; c++) {
        if (counts->of[c].actual == 0) continue;
        if (counts->of[c].hit == 0) return 0;
        sum += log((double)counts->of[c].hit / (double)counts->of[c].actual);
        present++;
    }
    return exp(sum / present);
}

static cru_status score(const cru_judging *j, double *value)
{
    return class_counts_score(j, g_mean, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "g-mean",
    .version = "1.0",
    .summary = "geometric mean over the classes of the share predicted right",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
