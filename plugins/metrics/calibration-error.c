// SPDX-License-Identifier: Apache-2.0
/* calibration-error: how far the confidence of predictions is from how often they are right.
 *
 *     sum over bins b of |b| / n |accuracy(b) - confidence(b)|      bins of equal width over the highest probability
 *
 * A confidence on a border belongs to the lower bin.
 *
 * Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017. */
#include <math.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

#include "class-counts.h"

enum { MOST_BINS = 1000 };

typedef struct settings {
    int64_t bins;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, bins, 15, 1, MOST_BINS, "bins of equal width"),
    CRU_END,
};

typedef struct bin {
    double right, confidence;
} bin;

static cru_status score(const cru_judging *j, double *value)
{
    const int64_t bins = ((const settings *)j->settings)->bins;
    const cru_data *data = j->data;
    bin of[MOST_BINS] = {{0}};
    int64_t items = 0;
    double sum = 0;
    for (int64_t i = 0; i < j->items.count; i++) {
        const int64_t item = j->items.ids[i];
        if (data->truth[item] == CRU_UNLABELLED) continue;
        const float *scores = j->scores + item * data->classes;
        const int32_t guess = cru_best_class(scores, data->classes);
        const double confidence = exp((double)scores[guess] - cru_log_sum_exp(scores, data->classes));
        const int64_t at = (int64_t)ceil(confidence * (double)bins) - 1;
        bin *b = &of[at < 0 ? 0 : at >= bins ? bins - 1 : at];
        b->right += guess == data->truth[item];
        b->confidence += confidence;
        items++;
    }
    for (int64_t b = 0; b < bins; b++) sum += fabs(of[b].right - of[b].confidence);
    *value = items ? sum / (double)items : NAN;
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_LOWER_IS_BETTER | CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "calibration-error",
    .version = "1.0",
    .summary = "expected difference between confidence and accuracy",
    .citation = "Guo, Pleiss, Sun, Weinberger. On Calibration of Modern Neural Networks. ICML 2017.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
