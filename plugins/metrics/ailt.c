// SPDX-License-Identifier: Apache-2.0
/* ailt: accuracy, by true labels, on training nodes whose label is wrong. Not defined when there are none.
 *
 * See common/supervision.h for the groups of the study. */
#include "supervision.h"

static cru_status score(const cru_judging *j, double *value)
{
    return supervision_score(j, (supervision_question){.group = TRAIN_INCORRECT}, value);
}

static const cru_metric vtable = {.size = sizeof(cru_metric), .flags = CRU_METRIC_PERCENT, .score = score};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_METRIC),
    .name = "ailt",
    .version = "1.0",
    .summary = "accuracy on incorrectly labelled training nodes (AILT)",
    .citation = SUPERVISION_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
    .vtable = &vtable,
};
