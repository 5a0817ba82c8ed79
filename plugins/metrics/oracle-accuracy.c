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

static cru_status score(const void *settings_, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const cru_evidence part = evidence_of_part(evidence, ((const settings *)settings_)->part);
    return class_counts_score(&part, accuracy, value, report, err);
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "oracle-accuracy",
    .version = "1.0",
    .summary = "accuracy on the validation part by its true labels",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
