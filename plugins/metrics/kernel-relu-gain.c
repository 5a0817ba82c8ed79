// SPDX-License-Identifier: Apache-2.0
/* kernel-relu-gain: does kernel regression with the kernel of a wide ReLU layer gain accuracy from aggregated features?
 * See common/classifier-gain.h for the test. */
#include "gain-classifiers.h"

static cru_status score(const cru_judging *j, double *value)
{
    return gain_kernel_score(gain_kernel_relu, j, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_OF_DATASET | CRU_METRIC_OF_FEATURES | CRU_METRIC_COSTLY, .score = score),
    CRU_SETTINGS(gain_kernel_metric, gain_kernel_schema),
    .name = "kernel-relu-gain",
    .version = "1.0",
    .summary = "does aggregation help regression with a ReLU kernel? near 1 yes, near 0 it hurts",
    .citation = GAIN_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
