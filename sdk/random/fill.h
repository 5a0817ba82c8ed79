// SPDX-License-Identifier: Apache-2.0
/* Bulk numbers, a batch at a time. Batch k of a fill covers 256 elements and uses the 64 Philox blocks from 64 k on:
 * element e of it is word e / 64 of block e % 64, so that blocks are computed side by side and stored without
 * shuffling. */
#ifndef CRU_RANDOM_FILL_H
#define CRU_RANDOM_FILL_H

#include <stdint.h>

enum { FILL_BLOCKS = 64, FILL_BATCH = 4 * FILL_BLOCKS };

typedef struct fill_args {
    uint32_t key[2], stream;
    float shift, scale; /* element = shift + scale * number */
    float limit;        /* uniform: the largest element */
} fill_args;

/* Writes one batch from `block` on. */
typedef void fill_batch(const fill_args *args, uint64_t block, float out[FILL_BATCH]);

/* The same code compiled for three instruction sets; without contraction to fused operations it gives the same bits. */
fill_batch fill_uniform_portable, fill_uniform_avx2, fill_uniform_avx512;
fill_batch fill_normal_portable, fill_normal_avx2, fill_normal_avx512;

#endif
