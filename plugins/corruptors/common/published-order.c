// SPDX-License-Identifier: Apache-2.0
#include "published-order.h"

#include <stdbool.h>

#include <crucible/imbalance.h>

enum { NETWORK = 1024 };

/* Places without a graph have id -1 and belong behind all others. */
typedef struct lane {
    int64_t size;
    int32_t id;
} lane;

/* Also equal ones change places where `up` is not set: this is what makes the order the network's own. */
static void compare(lane *a, lane *b, bool up)
{
    const bool sorted = (a->id >= 0 && a->size > b->size) || b->id < 0;
    if (sorted != up) return;
    const lane kept = *a;
    *a = *b;
    *b = kept;
}

/* One step of the network: every lane against the one `stride` away, `block` of them in the same direction. */
static void step(lane *lanes, int64_t stride, int64_t block)
{
    for (int64_t t = 0; t < NETWORK / 2; t++) {
        const int64_t at = 2 * t - (t & (stride - 1));
        compare(&lanes[at], &lanes[at + stride], t & block);
    }
}

static void bitonic(lane *lanes)
{
    for (int64_t block = 1; block < NETWORK / 2; block *= 2)
        for (int64_t stride = block; stride > 0; stride /= 2) step(lanes, stride, block);
    for (int64_t stride = NETWORK / 2; stride > 0; stride /= 2) step(lanes, stride, 0);
}

static void by_network(const int64_t *size, int64_t count, int32_t *order)
{
    lane lanes[NETWORK];
    for (int32_t i = 0; i < NETWORK; i++) lanes[i] = i < count ? (lane){size[i], i} : (lane){0, -1};
    bitonic(lanes);
    for (int64_t i = 0; i < count; i++) order[i] = lanes[i].id;
}

void published_order(const int64_t *size, int64_t count, int32_t *order)
{
    for (int32_t i = 0; i < count; i++) order[i] = i;
    if (count <= NETWORK)
        by_network(size, count, order);
    else
        cru_largest_first(order, count, size);
}
