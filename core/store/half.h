// SPDX-License-Identifier: Apache-2.0
/* half.h: matrices of scores in 16 bits a value, for keeping.
 *
 * All values are divided by one power of two, so that the largest lies in [2^14, 2^15), and rounded to the nearest IEEE
 * 754 half, ties to even. What holds for a value x of a matrix whose largest is m:
 *
 *     |decoded - x| <= 2^-11 |x|     where |x| >= 2^-28 m;  below that  |decoded - x| <= 2^-39 m
 *     the best class of every row (cru_best_class) is the same, so whatever depends on it alone is exact: where another
 *         class would round to the best one's value it is stored one step lower, and three times these errors hold for it
 *     values that were equal within a row stay equal; NaN and infinities stay what they are
 *
 * Ranks of items may change where their scores are closer than that. */
#ifndef CORE_STORE_HALF_H
#define CORE_STORE_HALF_H

#include <stdint.h>

/* codes: rows x cols. Returns the exponent that half_decode wants. */
int32_t half_encode(const float *values, int64_t rows, int32_t cols, uint16_t *codes);
void half_decode(const uint16_t *codes, int64_t count, int32_t exponent, float *values);

#endif
