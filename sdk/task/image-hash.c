// SPDX-License-Identifier: Apache-2.0
#include "task/image-hash.h"

#include <string.h>

static const uint64_t prime = 0x9E3779B185EBCA87u;

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

image_hash image_hash_start(void)
{
    return (image_hash){.lane = {1 * prime, 2 * prime, 3 * prime, 4 * prime}};
}

/* A bijection of the lane, so a single changed word always changes its lane. */
static uint64_t step(uint64_t lane, const unsigned char *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return rotate((lane ^ word) * prime, 29);
}

/* Four lanes, to hide the latency of the multiplication; spelt out, so that they stay in registers. */
static void add_stripes(image_hash *h, const unsigned char *bytes, size_t count)
{
    uint64_t a = h->lane[0], b = h->lane[1], c = h->lane[2], d = h->lane[3];
    for (size_t i = 0; i < count; i++, bytes += HASH_STRIPE) {
        a = step(a, bytes);
        b = step(b, bytes + 8);
        c = step(c, bytes + 16);
        d = step(d, bytes + 24);
    }
    h->lane[0] = a;
    h->lane[1] = b;
    h->lane[2] = c;
    h->lane[3] = d;
}

void image_hash_add(image_hash *h, const void *bytes, size_t count)
{
    size_t stripes = count / HASH_STRIPE, rest = count % HASH_STRIPE;
    h->bytes += count;
    add_stripes(h, bytes, stripes);
    if (rest == 0) return;
    unsigned char last[HASH_STRIPE] = {0};
    memcpy(last, (const unsigned char *)bytes + stripes * HASH_STRIPE, rest);
    add_stripes(h, last, 1);
}

uint64_t image_hash_end(const image_hash *h)
{
    uint64_t x = h->bytes;
    for (int i = 0; i < 4; i++) {
        x = (x ^ h->lane[i]) * prime;
        x ^= x >> 32;
    }
    return x;
}
