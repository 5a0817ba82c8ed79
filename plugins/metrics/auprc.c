// SPDX-License-Identifier: Apache-2.0
/* auprc: average precision of finding class 1: sum over the distinct scores of (gain in recall) x precision.
 * Not defined without class 1. */
#include "class-ranking.h"

static cru_status score(const cru_judging *j, double *value)
{
    return ranking_score(j, cru_ranking_auprc, value);
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_TWO_CLASSES, .score = score),
    .name = "auprc",
    .version = "1.0",
    .summary = "area under the precision-recall curve of class 1 (average precision)",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
