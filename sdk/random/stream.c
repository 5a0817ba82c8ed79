// SPDX-License-Identifier: Apache-2.0
/* Streams and the numbers that every distribution is made of. */
#include <string.h>

#include <crucible/draft/random.h>
#include <crucible/random.h>

#include "random/philox.h"

enum { WORDS = 4 };

/* The finaliser of SplitMix64: a bijection whose output bits each depend on all input bits. */
static uint64_t mix(uint64_t x)
{
    x += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* A stream is identified by 96 bits, key and stream number, from two hashes that start differently: streams coincide
 * with a chance of 2^-96 a pair. */
static cru_rng from_hashes(uint64_t first, uint64_t second)
{
    return (cru_rng){.key = {(uint32_t)first, (uint32_t)(first >> 32)}, .stream = (uint32_t)second, .used = WORDS};
}

static uint64_t hash_name(uint64_t start, uint64_t seed, const char *purpose, uint64_t index)
{
    uint64_t h = mix(start ^ mix(seed));
    for (const unsigned char *c = (const unsigned char *)purpose; *c; c++) h = mix(h ^ *c);
    return mix(mix(h ^ 0x100) ^ index); /* 0x100 is no character: it ends the purpose */
}

cru_rng cru_rng_stream(uint64_t seed, const char *purpose, uint64_t index)
{
    return from_hashes(hash_name(1, seed, purpose, index), hash_name(2, seed, purpose, index));
}

cru_rng cru_rng_split(const cru_rng *rng, uint64_t index)
{
    uint64_t key = (uint64_t)rng->key[1] << 32 | rng->key[0];
    uint64_t first = mix(mix(mix(3 ^ key) ^ rng->stream) ^ index);
    uint64_t second = mix(mix(mix(4 ^ key) ^ rng->stream) ^ index);
    return from_hashes(first, second);
}

void cru_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4])
{
    philox_block block = philox(key[0], key[1], (philox_block){{counter[0], counter[1], counter[2], counter[3]}});
    memcpy(out, block.word, sizeof block.word);
}

uint32_t cru_rng_u32(cru_rng *rng)
{
    if (rng->used >= WORDS) {
        uint32_t counter[4] = {(uint32_t)rng->block, (uint32_t)(rng->block >> 32), rng->stream, 0};
        cru_philox(rng->key, counter, rng->word);
        rng->block++;
        rng->used = 0;
    }
    return rng->word[rng->used++];
}

uint64_t cru_rng_u64(cru_rng *rng)
{
    uint64_t high = cru_rng_u32(rng);
    return high << 32 | cru_rng_u32(rng);
}

double cru_rng_uniform(cru_rng *rng)
{
    return (double)(cru_rng_u64(rng) >> 11) * 0x1p-53;
}

float cru_rng_uniformf(cru_rng *rng)
{
    return (float)(cru_rng_u32(rng) >> 8) * 0x1p-24f;
}

/* The high half of a product x * n is uniform but for the low halves below 2^bits mod n, which are drawn again.
 *     Lemire. Fast random integer generation in an interval. TOMACS 2019. */
static uint32_t below32(cru_rng *rng, uint32_t n)
{
    uint64_t product = (uint64_t)cru_rng_u32(rng) * n;
    if ((uint32_t)product < n) {
        uint32_t rejected = -n % n;
        while ((uint32_t)product < rejected) product = (uint64_t)cru_rng_u32(rng) * n;
    }
    return (uint32_t)(product >> 32);
}

static uint64_t below64(cru_rng *rng, uint64_t n)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)cru_rng_u64(rng) * n;
    if ((uint64_t)product < n) {
        uint64_t rejected = -n % n;
        while ((uint64_t)product < rejected) product = (wide)cru_rng_u64(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

int64_t cru_rng_below(cru_rng *rng, int64_t n)
{
    cru_assert(n > 0, "cru_rng_below: there is no number below %lld", (long long)n);
    return n <= UINT32_MAX ? below32(rng, (uint32_t)n) : (int64_t)below64(rng, (uint64_t)n);
}
