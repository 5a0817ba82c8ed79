// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "random/fill.h"

enum { LANES = 4 };

/* The lower halves of the lanes. */
static void store(uint32_t *out, __m256i lanes)
{
    __m256i packed = _mm256_permutevar8x32_epi32(lanes, _mm256_setr_epi32(0, 2, 4, 6, 0, 2, 4, 6));
    _mm_storeu_si128((__m128i *)out, _mm256_castsi256_si128(packed));
}

/* Philox (see philox.h) on blocks side by side, one 32-bit word in each 64-bit lane. Whatever collects in the upper
 * halves is never seen: the multiplication reads the lower ones, and only they are stored. */
static void draw_words(const fill_args *args, uint64_t block, uint32_t words[4][FILL_BLOCKS])
{
    const __m256i m0 = _mm256_set1_epi64x(0xD2511F53), m1 = _mm256_set1_epi64x(0xCD9E8D57);
    for (int j = 0; j < FILL_BLOCKS; j += LANES) {
        __m256i c0 = _mm256_add_epi64(_mm256_set1_epi64x((int64_t)block + j), _mm256_set_epi64x(3, 2, 1, 0));
        __m256i c1 = _mm256_srli_epi64(c0, 32), c2 = _mm256_set1_epi64x(args->stream), c3 = _mm256_setzero_si256();
        uint32_t k0 = args->key[0], k1 = args->key[1];
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
            __m256i a = _mm256_mul_epu32(c0, m0), b = _mm256_mul_epu32(c2, m1);
            __m256i x0 = _mm256_xor_si256(c1, _mm256_set1_epi64x(k0)),
                    x2 = _mm256_xor_si256(c3, _mm256_set1_epi64x(k1));
            c0 = _mm256_xor_si256(_mm256_srli_epi64(b, 32), x0);
            c2 = _mm256_xor_si256(_mm256_srli_epi64(a, 32), x2);
            c1 = b;
            c3 = a;
        }
        store(words[0] + j, c0);
        store(words[1] + j, c1);
        store(words[2] + j, c2);
        store(words[3] + j, c3);
    }
}

#define FILL_UNIFORM fill_uniform_avx2
#define FILL_NORMAL  fill_normal_avx2
#include "random/fill-kernel.h"
