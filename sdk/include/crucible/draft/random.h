// SPDX-License-Identifier: Apache-2.0
/* draft/random.h: blocks of numbers, and laws that one method or none draws from. Continues random.h. */
#ifndef CRUCIBLE_DRAFT_RANDOM_H
#define CRUCIBLE_DRAFT_RANDOM_H

#include <crucible/random.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One block of Philox4x32-10; exposed so that kernels can address numbers directly and tests can use known answers. */
CRU_API void cru_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

CRU_API double cru_rng_gamma(cru_rng *rng, double shape); /* scale 1; any shape > 0 */
CRU_API int64_t cru_rng_binomial(cru_rng *rng, int64_t n, double p);

#ifdef __cplusplus
}
#endif
#endif
