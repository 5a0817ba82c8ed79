// SPDX-License-Identifier: Apache-2.0
/* ailmt: misleading train accuracy, the share of wrongly labelled training nodes for which the wrong label is
 * predicted. Not defined when there are none.
 *
 * See common/supervision.h for the groups of the study. */
#include "supervision.h"

static cru_status score(const cru_judging *j, double *value)
{
    return supervision_score(j, (supervision_question){.group = TRAIN_INCORRECT, .observed = true}, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_LOWER_IS_BETTER, .score = score),
    .name = "ailmt",
    .version = "1.0",
    .summary = "share of wrong training labels that the method repeats (AILMT, misleading train accuracy)",
    .citation = SUPERVISION_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
