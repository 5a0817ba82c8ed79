// SPDX-License-Identifier: Apache-2.0
/* auu: accuracy on test nodes without a training neighbour. The tables of the study were made by code that took the
 * others instead (legacy = true). Not defined when there are none.
 *
 * See common/supervision.h for the groups of the study. */
#include "supervision.h"

typedef struct settings {
    bool legacy;
} settings;

static const cru_param schema[] = {
    CRU_BOOL(settings, legacy, false, "as in the published tables: test nodes that do have a training neighbour"),
    CRU_END,
};

static cru_status score(const cru_judging *j, double *value)
{
    const bool legacy = ((const settings *)j->settings)->legacy;
    return supervision_score(j, (supervision_question){.group = legacy ? TEST_SUPERVISED : TEST_UNSUPERVISED}, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT, .score = score),
    CRU_SETTINGS(settings, schema),
    .name = "auu",
    .version = "1.0",
    .summary = "accuracy on test nodes with no training node beside them (AUU)",
    .citation = SUPERVISION_CITATION,
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
