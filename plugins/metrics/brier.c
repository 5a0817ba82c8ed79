// SPDX-License-Identifier: Apache-2.0
/* brier: mean squared distance between the predicted probabilities and the truth as a one-hot vector.
 *
 *     mean_i sum_c (p_ic - [c = y_i])^2      between 0 and 2
 *
 * Brier. Verification of Forecasts Expressed in Terms of Probability. Monthly Weather Review 1950. */
#include <math.h>

#include <crucible/plugin.h>
#include <crucible/scoring.h>

#include "truth-mean.h"

static double distance(const float *scores, int32_t classes, int32_t truth)
{
    const double log_sum = cru_log_sum_exp(scores, classes);
    double sum = 0;
    for (int32_t c = 0; c < classes; c++) {
        const double off = exp((double)scores[c] - log_sum) - (c == truth);
        sum += off * off;
    }
    return sum;
}

static cru_status score(const cru_judging *j, double *value)
{
    *value = truth_mean(j, distance);
    return CRU_OK;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "brier",
    .version = "1.0",
    .summary = "mean squared error of the predicted probabilities",
    .citation = "Brier. Verification of Forecasts Expressed in Terms of Probability. Monthly Weather Review 1950.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
