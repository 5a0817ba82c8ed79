// SPDX-License-Identifier: Apache-2.0
/* auroc: the chance that an anomaly (class 1) has a higher score than another item; ties count half.
 * Not defined when a class is missing. */
#include "class-ranking.h"

static cru_status score(const cru_judging *j, double *value)
{
    return ranking_score(j, cru_ranking_auroc, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_TWO_CLASSES, .score = score),
    .name = "auroc",
    .version = "1.0",
    .summary = "area under the ROC curve of class 1",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
