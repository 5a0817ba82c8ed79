// SPDX-License-Identifier: Apache-2.0
/* per-class-recall: of every class the share that is predicted right. All of them are reported as `recall`; the value
 * is that of the class worst served, or of one class.
 *
 *     [metric per-class-recall as rare]
 *     class = 3 */
#include <math.h>

#include "class-counts.h"

typedef struct settings {
    int64_t class;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, class, -1, -1, INT32_MAX, "the class whose recall is the value; -1: the lowest of all"),
    CRU_END,
};

static double recall_of(const class_counts *counts, int64_t class)
{
    double lowest = NAN;
    if (class >= 0) return class < counts->classes ? class_recall(&counts->of[class]) : NAN;
    for (int32_t c = 0; c < counts->classes; c++) lowest = fmin(lowest, class_recall(&counts->of[c]));
    return lowest;
}

static cru_status score(const cru_judging *j, double *value)
{
    class_counts counts;
    cru_status status = class_counts_take(&counts, j);
    if (!status) {
        class_counts_report(&counts, class_recall, "recall", j->report);
        *value = recall_of(&counts, ((const settings *)j->settings)->class);
    }
    class_counts_free(&counts);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "per-class-recall",
    .version = "1.0",
    .summary = "share of each class that is predicted right; the lowest, or that of one class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
