// SPDX-License-Identifier: Apache-2.0
#include "candidate-evidence.h"

#include "judged-part.h"

cru_status candidate_evidence(cru_covered *c, const cru_judging *j, int64_t part)
{
    const cru_data *data = j->data;
    if (!data->candidates) return cru_fail(j->err, CRU_UNSUPPORTED, "the data has no candidate sets");
    *c = (cru_covered){.scores = j->scores,
                       .candidates = data->candidates,
                       .classes = data->classes,
                       .items = judging_of_part(j, part).items};
    return CRU_OK;
}
