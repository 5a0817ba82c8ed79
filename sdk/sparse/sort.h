// SPDX-License-Identifier: Apache-2.0
/* sort.h: sorting 64-bit keys, the workhorse behind rows, edges and rankings. */
#ifndef CRU_SPARSE_SORT_H
#define CRU_SPARSE_SORT_H

#include <stdint.h>

/* Sorts ascending; `spare` has room for n keys. Byte-wise radix sort that skips bytes in which all keys agree,
 * insertion sort for few keys. */
void sort_u64(uint64_t *keys, int64_t n, uint64_t *spare);

/* A key that orders like the float (any finite value), for packing beside an id. */
static inline uint32_t sort_float_key(float value)
{
    union {
        float f;
        uint32_t u;
    } bits = {.f = value};
    return bits.u & 0x80000000u ? ~bits.u : bits.u | 0x80000000u;
}

#endif
