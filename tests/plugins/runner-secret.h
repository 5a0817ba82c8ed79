// SPDX-License-Identifier: Apache-2.0
/* The labels of the dataset runner-secret, as a formula: whoever knows it can recognise them in memory, and no array of
 * them exists outside the process that loaded the dataset. */
#ifndef TESTS_RUNNER_SECRET_H
#define TESTS_RUNNER_SECRET_H

#include <stdint.h>

#define SECRET_CLASSES 7

static inline int32_t secret_label(int64_t item)
{
    uint64_t x = (uint64_t)item * UINT64_C(0x9E3779B97F4A7C15) + UINT64_C(0x1234567);
    x ^= x >> 29;
    x *= UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 32;
    return (int32_t)(x % SECRET_CLASSES);
}

#endif
