// SPDX-License-Identifier: Apache-2.0
/* Share of judged items whose highest score is the true class; reports the shares per class. */
#include <math.h>

#include <crucible/plugin.h>

static cru_status score(const cru_judging *j, double *value)
{
    const cru_data *data = j->data;
    double right[64] = {0}, seen[64] = {0}, all = 0;
    if (data->classes > 64) return cru_fail(j->err, CRU_UNSUPPORTED, "too many classes");
    for (int64_t i = 0; i < j->items.count; i++) {
        int32_t id = j->items.ids[i], best = 0;
        const float *row = j->scores + (int64_t)id * data->classes;
        for (int32_t k = 1; k < data->classes; k++)
            if (row[k] > row[best]) best = k;
        seen[data->truth[id]]++;
        right[data->truth[id]] += best == data->truth[id];
        all += best == data->truth[id];
    }
    for (int32_t k = 0; k < data->classes; k++) right[k] = seen[k] > 0 ? right[k] / seen[k] : NAN;
    cru_report_vector(j->report, "per-class", right, data->classes);
    *value = j->items.count ? all / (double)j->items.count : NAN;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "runner-accuracy",
    .version = "1.0",
    .summary = "share of right answers",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
