// SPDX-License-Identifier: Apache-2.0
#include <immintrin.h>

#include "random/fill.h"

enum { LANES = 8 };

/* The lower halves of the lanes. */
static void store(uint32_t *out, __m512i lanes)
{
    _mm256_storeu_si256((__m256i *)out, _mm512_cvtepi64_epi32(lanes));
}

/* Philox (see philox.h) on blocks side by side, one 32-bit word in each 64-bit lane. Whatever collects in the upper
 * halves is never seen: the multiplication reads the lower ones, and only they are stored. */
static void draw_words(const fill_args *args, uint64_t block, uint32_t words[4][FILL_BLOCKS])
{
    const __m512i m0 = _mm512_set1_epi64(0xD2511F53), m1 = _mm512_set1_epi64(0xCD9E8D57);
    for (int j = 0; j < FILL_BLOCKS; j += LANES) {
        __m512i c0 = _mm512_add_epi64(_mm512_set1_epi64((int64_t)block + j), _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0));
        __m512i c1 = _mm512_srli_epi64(c0, 32), c2 = _mm512_set1_epi64(args->stream), c3 = _mm512_setzero_si512();
        uint32_t k0 = args->key[0], k1 = args->key[1];
        for (int round = 0; round < 10; round++, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
            __m512i a = _mm512_mul_epu32(c0, m0), b = _mm512_mul_epu32(c2, m1);
            __m512i x0 = _mm512_xor_si512(c1, _mm512_set1_epi64(k0)), x2 = _mm512_xor_si512(c3, _mm512_set1_epi64(k1));
            c0 = _mm512_xor_si512(_mm512_srli_epi64(b, 32), x0);
            c2 = _mm512_xor_si512(_mm512_srli_epi64(a, 32), x2);
            c1 = b;
            c3 = a;
        }
        store(words[0] + j, c0);
        store(words[1] + j, c1);
        store(words[2] + j, c2);
        store(words[3] + j, c3);
    }
}

#define FILL_UNIFORM fill_uniform_avx512
#define FILL_NORMAL  fill_normal_avx512
#include "random/fill-kernel.h"
