// SPDX-License-Identifier: Apache-2.0
/* dice.h: the generators that splits are drawn with.
 *
 * Every published scheme needs one operation only, a shuffle in place: numpy's permutation and choice without
 * replacement, Python's random.shuffle and torch's randperm all come down to a series of swaps. */
#ifndef CORE_DATA_DICE_H
#define CORE_DATA_DICE_H

#include <crucible/mt19937.h>
#include <crucible/random.h>

#include "data/data.h"

typedef struct dice {
    split_rng kind; /* never SPLIT_STUDY */
    cru_rng philox;
    cru_mt mt;
} dice;

/* `part` numbers the draws of one split that start anew: a study's generator starts from its seed again, our own takes
 * another stream. */
dice dice_start(split_rng kind, uint64_t seed, uint64_t part);

void dice_shuffle(dice *d, int32_t *ids, int64_t count);

#endif
