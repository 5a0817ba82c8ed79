// SPDX-License-Identifier: Apache-2.0
/* auis: accuracy on test nodes with an incorrectly labelled training neighbour. Not defined when there are none.
 *
 * See common/supervision.h for the groups of the study. */
#include "supervision.h"

static cru_status score(const cru_judging *j, double *value)
{
    return supervision_score(j, (supervision_question){.group = TEST_INCORRECT}, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    .name = "auis",
    .version = "1.0",
    .summary = "accuracy on test nodes beside an incorrectly labelled training node (AUIS)",
    .citation = SUPERVISION_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
