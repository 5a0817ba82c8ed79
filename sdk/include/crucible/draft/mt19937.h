// SPDX-License-Identifier: Apache-2.0
/* draft/mt19937.h: the further draws of the studies' generators; study-rng.h is how a plugin repeats a study.
 * Continues mt19937.h. */
#ifndef CRUCIBLE_DRAFT_MT19937_H
#define CRUCIBLE_DRAFT_MT19937_H

#include <crucible/mt19937.h>

#ifdef __cplusplus
extern "C" {
#endif

CRU_API void cru_mt_seed_python(cru_mt *mt, uint64_t seed); /* random.seed(seed) */

CRU_API uint32_t cru_mt_u32(cru_mt *mt);

/* ---- NumPy's RandomState ---- */

CRU_API void cru_mt_shuffle(cru_mt *mt, int32_t *ids, int64_t n);           /* shuffle(ids) */
CRU_API void cru_mt_permutation(cru_mt *mt, int32_t *out, int64_t n);       /* permutation(n) */
CRU_API double cru_mt_normal(cru_mt *mt);                                   /* standard_normal() */
CRU_API int32_t cru_mt_bernoulli(cru_mt *mt, double p);                     /* binomial(1, p) */
CRU_API int32_t cru_mt_multinomial(cru_mt *mt, const double *p, int32_t n); /* where multinomial(1, p) has its one */
CRU_API int32_t cru_mt_categorical(cru_mt *mt, const double *p, int32_t n); /* choice(n, p=p) */

/* choice(n, k, replace=False). Takes O(n) time and memory, as NumPy does: the draws depend on n. */
CRU_API void cru_mt_choose(cru_mt *mt, int64_t n, int64_t k, int32_t *out);

/* ---- Python's random ---- */

CRU_API uint32_t cru_mt_python_below(cru_mt *mt, uint32_t n);            /* randrange(n), n > 0 */
CRU_API void cru_mt_python_shuffle(cru_mt *mt, int32_t *ids, int64_t n); /* shuffle(ids) */

/* ---- PyTorch on the CPU ---- */

CRU_API void cru_mt_torch_permutation(cru_mt *mt, int32_t *out, int64_t n); /* torch.randperm(n) */

#ifdef __cplusplus
}
#endif
#endif
