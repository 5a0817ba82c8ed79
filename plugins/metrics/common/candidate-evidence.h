// SPDX-License-Identifier: Apache-2.0
/* candidate-evidence.h: predictions beside candidate sets, for metrics that need no truth. */
#ifndef METRICS_CANDIDATE_EVIDENCE_H
#define METRICS_CANDIDATE_EVIDENCE_H

#include <crucible/plugin.h>
#include <crucible/scoring.h>

/* The items of that part (judged-part.h). CRU_UNSUPPORTED when the data has no candidate sets. Borrows. */
cru_status candidate_evidence(cru_covered *c, const cru_judging *j, int64_t part);

#endif
