// SPDX-License-Identifier: Apache-2.0
/* random.h: counter-based random numbers in named streams.
 *
 * Philox4x32-10: the i-th number of a stream is a function of (key, i), so streams can be split among threads and give
 * the same bits for any thread count. A stream is derived from the experiment's seed and a purpose:
 *
 *     cru_rng noise = cru_rng_stream(seed, "corruption", 0);
 *
 * Two methods run with one seed draw the same split and the same noise because their purposes are the same, and do not
 * disturb each other's initialisation because those are not. A `cru_rng` is a value: a copy continues independently
 * from the same point. */
#ifndef CRUCIBLE_RANDOM_H
#define CRUCIBLE_RANDOM_H

#include <stdbool.h>

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_rng {
    uint32_t key[2];
    uint64_t block;  /* index of the next block of four words */
    uint32_t stream; /* upper counter word: sub-streams of one key */
    uint32_t used;   /* words of `word` already handed out */
    uint32_t word[4];
    bool has_normal; /* the second value of the last Box-Muller pair */
    double normal;
} cru_rng;

/* The stream for (seed, purpose, index). Purposes are free words; those of the host are "split", "corruption",
 * "init", "dropout", "sampling", "search". `index` separates repeated uses (the chain position of a corruptor, say). */
CRU_API cru_rng cru_rng_stream(uint64_t seed, const char *purpose, uint64_t index);

/* A child stream that does not overlap its parent or siblings with another index; the parent is not moved, and how far
 * it has moved does not matter. */
CRU_API cru_rng cru_rng_split(const cru_rng *rng, uint64_t index);

CRU_API uint32_t cru_rng_u32(cru_rng *rng);
CRU_API uint64_t cru_rng_u64(cru_rng *rng);
CRU_API double cru_rng_uniform(cru_rng *rng);           /* [0, 1), 53 bits */
CRU_API float cru_rng_uniformf(cru_rng *rng);           /* [0, 1), 24 bits */
CRU_API int64_t cru_rng_below(cru_rng *rng, int64_t n); /* uniform on 0 .. n-1, unbiased; n > 0 */
CRU_API double cru_rng_normal(cru_rng *rng);            /* N(0, 1) */
CRU_API double cru_rng_beta(cru_rng *rng, double a, double b);
CRU_API void cru_rng_dirichlet(cru_rng *rng, const double *alpha, int64_t n, double *out);
CRU_API int64_t cru_rng_categorical(cru_rng *rng, const double *weights, int64_t n); /* weights >= 0, sum > 0 */

CRU_API void cru_rng_shuffle(cru_rng *rng, int32_t *ids, int64_t n);     /* Fisher-Yates, in place */
CRU_API void cru_rng_permutation(cru_rng *rng, int32_t *out, int64_t n); /* of 0 .. n-1 */

/* k different numbers of 0 .. n-1 in random order, O(k) memory and time; n below 2^31. */
CRU_API void cru_rng_choose(cru_rng *rng, int64_t n, int64_t k, int32_t *out);

/* k draws with probability proportional to weights: with replacement (alias table, O(n + k)), or without
 * (successive draws, by exponential keys, O(n log k)); zero weights are never drawn without replacement unless the
 * positive ones run out, which is an assertion. */
CRU_API void cru_rng_weighted(cru_rng *rng, const double *weights, int64_t n, int64_t k, bool replace, int32_t *out);

/* Bulk fills for tensors: [lo, hi) in 24 bits, and normal values. The same bits for any number of threads and on any
 * processor; a fill begins at a fresh block, so fills of 10 and of 20 numbers share their first 10. */
CRU_API void cru_rng_fill_uniform(cru_rng *rng, float *out, int64_t n, float lo, float hi);
CRU_API void cru_rng_fill_normal(cru_rng *rng, float *out, int64_t n, float mean, float std);

#ifdef __cplusplus
}
#endif
#endif
