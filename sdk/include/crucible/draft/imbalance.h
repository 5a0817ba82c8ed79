// SPDX-License-Identifier: Apache-2.0
/* draft/imbalance.h: repeating small classes, and an imbalance of places. Continues imbalance.h. */
#ifndef CRUCIBLE_DRAFT_IMBALANCE_H
#define CRUCIBLE_DRAFT_IMBALANCE_H

#include <crucible/imbalance.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The items of some classes, each class repeated to the size of the largest: whole copies, then others at random, none
 * of them twice. Classes follow each other; an empty one stays empty. In the pool. */
CRU_API cru_ids cru_class_repeat(cru_pool pool, const cru_ids *members, int32_t classes, cru_rng *rng);

/* NAN when a coefficient is; INFINITY when one is 0. */
CRU_API double cru_imbalance_of_places(double reaching, double squashing);

#ifdef __cplusplus
}
#endif
#endif
