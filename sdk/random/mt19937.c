// SPDX-License-Identifier: Apache-2.0
/* The generator itself: state, seeding, words. */
#include <crucible/draft/mt19937.h>
#include <crucible/mt19937.h>

enum { WORDS = 624, SHIFT = 397 };

void cru_mt_seed(cru_mt *mt, uint32_t seed)
{
    mt->state[0] = seed;
    for (uint32_t i = 1; i < WORDS; i++) {
        uint32_t last = mt->state[i - 1];
        mt->state[i] = 1812433253u * (last ^ last >> 30) + i;
    }
    mt->next = WORDS;
    mt->has_normal = false;
}

/* The generator's authors' seeding by an array of words; Python's array holds the seed's 32-bit digits, lowest
 * first. */
void cru_mt_seed_python(cru_mt *mt, uint64_t seed)
{
    const uint32_t digits[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t count = digits[1] ? 2 : 1, i = 1;
    cru_mt_seed(mt, 19650218u);
    uint32_t *s = mt->state;
    for (uint32_t k = 0; k < WORDS; k++) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1664525u) + digits[k % count] + k % count;
        if (++i == WORDS) {
            s[0] = s[WORDS - 1];
            i = 1;
        }
    }
    for (uint32_t k = 1; k < WORDS; k++) {
        s[i] = (s[i] ^ (s[i - 1] ^ s[i - 1] >> 30) * 1566083941u) - i;
        if (++i == WORDS) {
            s[0] = s[WORDS - 1];
            i = 1;
        }
    }
    s[0] = 0x80000000u;
}

static void refill(uint32_t *s)
{
    for (int i = 0; i < WORDS; i++) {
        uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % WORDS] & 0x7fffffffu);
        s[i] = s[(i + SHIFT) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
}

uint32_t cru_mt_u32(cru_mt *mt)
{
    if (mt->next == WORDS) {
        refill(mt->state);
        mt->next = 0;
    }
    uint32_t y = mt->state[mt->next++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double cru_mt_uniform(cru_mt *mt)
{
    uint32_t high = cru_mt_u32(mt) >> 5, low = cru_mt_u32(mt) >> 6;
    return (high * 67108864.0 + low) / 9007199254740992.0;
}
