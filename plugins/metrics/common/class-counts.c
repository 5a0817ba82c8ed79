// SPDX-License-Identifier: Apache-2.0
#include "class-counts.h"

#include <math.h>
#include <stdlib.h>

#include <crucible/scoring.h>

cru_status class_counts_take(class_counts *counts, const cru_judging *j)
{
    const cru_data *data = j->data;
    *counts = (class_counts){.classes = data->classes, .of = calloc((size_t)data->classes, sizeof *counts->of)};
    if (!counts->of) return cru_fail(j->err, CRU_NO_MEMORY, "no memory for %d classes", data->classes);
    for (int64_t i = 0; i < j->items.count; i++) {
        const int64_t item = j->items.ids[i];
        const int32_t truth = data->truth[item];
        if (truth == CRU_UNLABELLED) continue;
        const int32_t guess = cru_best_class(j->scores + item * data->classes, data->classes);
        counts->items++;
        counts->of[truth].actual++;
        counts->of[guess].predicted++;
        if (guess != truth) continue;
        counts->hits++;
        counts->of[truth].hit++;
    }
    return CRU_OK;
}

void class_counts_free(class_counts *counts)
{
    free(counts->of);
}

double class_f1(const class_count *count)
{
    return count->hit ? 2.0 * (double)count->hit / (double)(count->actual + count->predicted) : 0;
}

double class_f1_if_any(const class_count *count)
{
    return count->actual + count->predicted ? class_f1(count) : NAN;
}

double class_recall(const class_count *count)
{
    return count->actual ? (double)count->hit / (double)count->actual : NAN;
}

double class_counts_mean(const class_counts *counts, class_measure *measure)
{
    double sum = 0;
    int32_t defined = 0;
    for (int32_t c = 0; c < counts->classes; c++) {
        const double own = measure(&counts->of[c]);
        if (isnan(own)) continue;
        sum += own;
        defined++;
    }
    return defined ? sum / defined : NAN;
}

void class_counts_report(const class_counts *counts, class_measure *measure, const char *name, cru_report *report)
{
    double *values = malloc((size_t)counts->classes * sizeof *values);
    if (!values) return; /* an extra; the value itself does not need it */
    for (int32_t c = 0; c < counts->classes; c++) values[c] = measure(&counts->of[c]);
    cru_report_vector(report, name, values, counts->classes);
    free(values);
}

cru_status class_counts_score(const cru_judging *j, class_summary *summary, double *value)
{
    class_counts counts;
    cru_status status = class_counts_take(&counts, j);
    if (!status) *value = counts.items ? summary(&counts, j->report) : NAN;
    class_counts_free(&counts);
    return status;
}
