// SPDX-License-Identifier: Apache-2.0
/* The graph of the dataset runner-halves, as formulas: two halves, the second of which is the test part. Whoever knows
 * them can recognise the test part in memory. */
#ifndef TESTS_RUNNER_HALVES_H
#define TESTS_RUNNER_HALVES_H

#include <stdint.h>

enum { HALF = 500, HALVES_TRAIN = 300, HALVES_CLASSES = 3, HALVES_STEP = 173 };

static inline float halves_feature(int64_t node)
{
    return 7000 + 1.25f * (float)node;
}

static inline int32_t halves_label(int64_t node)
{
    return (int32_t)(node % HALVES_CLASSES);
}

/* The only neighbour that node i of the first half has in the second; a permutation. */
static inline int32_t halves_partner(int64_t i)
{
    return (int32_t)(HALF + i * HALVES_STEP % HALF);
}

#endif
