// SPDX-License-Identifier: Apache-2.0
/* log-loss: mean of -log softmax(scores)[truth]. */
#include <crucible/plugin.h>
#include <crucible/scoring.h>

#include "truth-mean.h"

static double surprise(const float *scores, int32_t classes, int32_t truth)
{
    return cru_log_sum_exp(scores, classes) - (double)scores[truth];
}

static cru_status score(const cru_judging *j, double *value)
{
    *value = truth_mean(j, surprise);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "log-loss",
    .version = "1.0",
    .summary = "mean negative log-probability of the true class",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
