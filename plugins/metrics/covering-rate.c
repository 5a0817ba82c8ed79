// SPDX-License-Identifier: Apache-2.0
/* covering-rate: share of the predictions that lie in the item's candidate set. It needs no true labels: the study of
 * partial labels selects models by it, on validation data.
 *
 * Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. ICLR 2025. */
#include "candidate-evidence.h"
#include "judged-part.h"

static cru_status score(const cru_judging *j, double *value)
{
    cru_covered c;
    cru_status status = candidate_evidence(&c, j, ((const part_settings *)j->settings)->part);
    if (!status) *value = cru_covering_rate(&c);
    return status;
}

CRU_PLUGIN = {
    CRU_METRIC(.flags = CRU_METRIC_PERCENT | CRU_METRIC_OF_CANDIDATES, .score = score),
    CRU_SETTINGS(part_settings, part_params),
    .name = "covering-rate",
    .version = "1.0",
    .summary = "share of predictions inside the candidate set",
    .citation = "Wang, Wu, Wang, Niu, Zhang, Sugiyama. Realistic Evaluation of Deep Partial-Label Learning Algorithms. "
                "ICLR 2025.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_GRAPHS | CRU_ANOMALY | CRU_ROWS,
};
