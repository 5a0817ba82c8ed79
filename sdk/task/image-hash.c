#include <string.h>

#include "task/image-hash.h"

static const uint64_t prime = 0x9E3779B185EBCA87u;

static uint64_t rotate(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

image_hash image_hash_start(void)
{
    return (image_hash){.lane = {1 * prime, 2 * prime, 3 * prime, 4 * prime}};
}

/* Each step is a bijection of the lane, so a single changed word always changes its lane. Four lanes hide the latency
 * of the multiplication. */
static void add_stripe(uint64_t lane[4], const unsigned char *bytes)
{
    uint64_t word[4];
    memcpy(word, bytes, sizeof word);
    for (int i = 0; i < 4; i++) lane[i] = rotate((lane[i] ^ word[i]) * prime, 29);
}

void image_hash_add(image_hash *h, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;
    uint64_t lane[4];
    memcpy(lane, h->lane, sizeof lane);
    h->bytes += count;
    for (; count >= HASH_STRIPE; count -= HASH_STRIPE, from += HASH_STRIPE) add_stripe(lane, from);
    if (count) {
        unsigned char last[HASH_STRIPE] = {0};
        memcpy(last, from, count);
        add_stripe(lane, last);
    }
    memcpy(h->lane, lane, sizeof lane);
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
