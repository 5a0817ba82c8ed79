// SPDX-License-Identifier: Apache-2.0
#include "candidate-evidence.h"

#include "judged-part.h"

cru_status candidate_evidence(cru_covered *c, const cru_evidence *evidence, int64_t part, cru_error *err)
{
    const cru_data *data = evidence->data;
    if (!data->candidates) return cru_fail(err, CRU_UNSUPPORTED, "the data has no candidate sets");
    *c = (cru_covered){.scores = evidence->scores,
                       .candidates = data->candidates,
                       .classes = data->classes,
                       .items = evidence_of_part(evidence, part).items};
    return CRU_OK;
}
