// SPDX-License-Identifier: Apache-2.0
/* gnb-gain: does Gaussian naive Bayes gain accuracy from aggregated features?
 * See common/classifier-gain.h for the test. */
#include "gain-classifiers.h"

typedef struct settings {
    gain_settings gain;
} settings;

static const cru_param schema[] = {
    CRU_GROUP(settings, gain, gain_params),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    const settings *s = j->settings;
    const gain_job job = {.settings = &s->gain, .method = {gain_naive_bayes, NULL}, .judging = j};
    return gain_score(&job, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET | CRU_METRIC_OF_FEATURES | CRU_METRIC_COSTLY, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "gnb-gain",
    .version = "1.0",
    .summary = "does aggregation help Gaussian naive Bayes? near 1 yes, near 0 it hurts",
    .citation = GAIN_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
