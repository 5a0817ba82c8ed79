/* macro-f1: mean of F1 over the classes that are true or predicted somewhere, as scikit-learn takes it. */
#include <math.h>

#include "class-counts.h"

/* 0 for a class that is never hit, and not defined for one that does not occur */
static double f1(const class_count *count)
{
    return count->actual + count->predicted ? class_f1(count) : NAN;
}

static double macro_f1(const class_counts *counts, cru_report *report)
{
    class_counts_report(counts, f1, "f1_per_class", report);
    return class_counts_mean(counts, f1);
}

static cru_status score(const void *settings, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    (void)settings;
    return class_counts_score(evidence, macro_f1, value, report, err);
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "macro-f1",
    .version = "1.0",
    .summary = "mean over the classes of the harmonic mean of precision and recall",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
