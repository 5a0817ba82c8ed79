// SPDX-License-Identifier: Apache-2.0
#include "data/dice.h"

#include <stdlib.h>
#include <string.h>

dice dice_start(split_rng kind, uint64_t seed, uint64_t part)
{
    dice d = {.kind = kind};
    if (kind == SPLIT_PHILOX)
        d.philox = cru_rng_stream(seed, "split", part);
    else if (kind == SPLIT_PYTHON)
        cru_mt_seed_python(&d.mt, seed);
    else
        cru_mt_seed(&d.mt, (uint32_t)seed);
    return d;
}

/* torch permutes positions; a shuffle is that permutation applied to the ids. */
static void torch_shuffle(cru_mt *mt, int32_t *ids, int64_t count)
{
    int32_t *order = malloc((size_t)count * 2 * sizeof *order), *old = order ? order + count : NULL;
    if (!order) cru_panic(CRU_NO_MEMORY, "no memory to shuffle %lld ids", (long long)count);
    cru_mt_torch_permutation(mt, order, count);
    memcpy(old, ids, (size_t)count * sizeof *old);
    for (int64_t i = 0; i < count; i++) ids[i] = old[order[i]];
    free(order);
}

void dice_shuffle(dice *d, int32_t *ids, int64_t count)
{
    if (count < 1) return;
    switch (d->kind) {
    case SPLIT_NUMPY:
        cru_mt_shuffle(&d->mt, ids, count);
        break;
    case SPLIT_PYTHON:
        cru_mt_python_shuffle(&d->mt, ids, count);
        break;
    case SPLIT_TORCH:
        torch_shuffle(&d->mt, ids, count);
        break;
    default:
        cru_rng_shuffle(&d->philox, ids, count);
        break;
    }
}
