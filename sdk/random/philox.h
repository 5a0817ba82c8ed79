// SPDX-License-Identifier: Apache-2.0
/* One block of Philox4x32-10, inline, so that bulk fills can vectorise it.
 *
 *     Salmon, Moraes, Dror, Shaw. Parallel random numbers: as easy as 1, 2, 3. SC 2011. */
#ifndef CRU_RANDOM_PHILOX_H
#define CRU_RANDOM_PHILOX_H

#include <stdint.h>

typedef struct philox_block {
    uint32_t word[4];
} philox_block;

static inline philox_block philox(uint32_t k0, uint32_t k1, philox_block c)
{
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xD2511F53u * c.word[0];
        uint64_t b = (uint64_t)0xCD9E8D57u * c.word[2];
        uint32_t c1 = c.word[1], c3 = c.word[3];
        c.word[0] = (uint32_t)(b >> 32) ^ c1 ^ k0;
        c.word[1] = (uint32_t)b;
        c.word[2] = (uint32_t)(a >> 32) ^ c3 ^ k1;
        c.word[3] = (uint32_t)a;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    return c;
}

#endif
