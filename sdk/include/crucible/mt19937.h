// SPDX-License-Identifier: Apache-2.0
/* mt19937.h: the generators that the published studies used, bit for bit.
 *
 * Splits and label noise of the benchmarks that Crucible repeats were drawn with NumPy's legacy RandomState, Python's
 * random module or PyTorch's CPU generator. All three are the Mersenne Twister MT19937, seeded and read differently;
 * these functions follow each library to the last draw. Use them to repeat a published draw and random.h for all else.
 *
 *     cru_mt mt;
 *     cru_mt_seed(&mt, 3000);                  // numpy.random.RandomState(3000)
 *     double first = cru_mt_uniform(&mt);      // .random_sample()
 *
 * Matsumoto, Nishimura. Mersenne Twister: a 623-dimensionally equidistributed uniform pseudo-random number generator.
 * TOMACS 1998. */
#ifndef CRUCIBLE_MT19937_H
#define CRUCIBLE_MT19937_H

#include <stdbool.h>

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A value, 2.5 KiB; a copy continues independently. Seed it before use. */
typedef struct cru_mt {
    uint32_t state[624];
    int32_t next;    /* word of the state to hand out; 624: all used */
    bool has_normal; /* the second value of the last pair of normal values */
    double normal;
} cru_mt;

CRU_API void cru_mt_seed(cru_mt *mt, uint32_t seed); /* numpy.random.RandomState(seed), torch.manual_seed(seed) */

CRU_API double cru_mt_uniform(cru_mt *mt); /* [0, 1), 53 bits: NumPy's random_sample() and Python's random() */

/* ---- NumPy's RandomState ---- */

CRU_API uint32_t cru_mt_interval(cru_mt *mt, uint32_t max); /* 0 .. max inclusive; max = 0 draws nothing */

#ifdef __cplusplus
}
#endif
#endif
