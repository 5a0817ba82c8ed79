// SPDX-License-Identifier: Apache-2.0
/* ailt: accuracy, by true labels, on training nodes whose label is wrong. Not defined when there are none.
 *
 * See common/supervision.h for the groups of the study. */
#include "supervision.h"

static cru_status score(const cru_judging *j, double *value)
{
    return supervision_score(j, (supervision_question){.group = TRAIN_INCORRECT}, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "ailt",
    .version = "1.0",
    .summary = "accuracy on incorrectly labelled training nodes (AILT)",
    .citation = SUPERVISION_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
