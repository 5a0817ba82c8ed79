// SPDX-License-Identifier: Apache-2.0
/* draft/scoring.h: recall among the highest. Continues scoring.h. */
#ifndef CRUCIBLE_DRAFT_SCORING_H
#define CRUCIBLE_DRAFT_SCORING_H

#include <crucible/scoring.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- rankings -------------------------------------------------------------------------------------------- */

/* Share of the positives among the `positives` highest. Where the border cuts through equal scores: the expectation
 * over all their orders, or (`stable`) the last ones given count as highest. NAN without positives. */
CRU_API double cru_ranking_recall_at_k(const cru_ranking *r, bool stable);

#ifdef __cplusplus
}
#endif
#endif
