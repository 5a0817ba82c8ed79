/* log-loss: mean of -log softmax(scores)[truth]. */
#include <math.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

static cru_status score(const void *settings, const cru_evidence *evidence, double *value, cru_report *report,
                        cru_error *err)
{
    const cru_data *data = evidence->data;
    double sum = 0;
    int64_t items = 0;
    (void)settings;
    (void)report;
    (void)err;
    for (int64_t i = 0; i < evidence->items.count; i++) {
        const int64_t item = evidence->items.ids[i];
        if (data->truth[item] == CRU_UNLABELLED) continue;
        const float *scores = evidence->scores + item * data->classes;
        sum += cru_log_sum_exp(scores, data->classes) - (double)scores[data->truth[item]];
        items++;
    }
    *value = items ? sum / (double)items : NAN;
    return CRU_OK;
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_LOWER_IS_BETTER, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "log-loss",
    .version = "1.0",
    .summary = "mean negative log-probability of the true class",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
    .vtable = &vtable,
};
