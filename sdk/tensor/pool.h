// SPDX-License-Identifier: Apache-2.0
/* pool.h: device memory for one step, taken in large chunks and reused from step to step. */
#ifndef SDK_TENSOR_POOL_H
#define SDK_TENSOR_POOL_H

#include <crucible/backend.h>

typedef struct pool_chunk {
    char *memory;
    size_t size, used;
    struct pool_chunk *next;
} pool_chunk;

typedef struct pool_free {
    float *memory;
    size_t bytes;
} pool_free;

enum { POOL_FREE_SLOTS = 64 };

typedef struct pool {
    cru_device *device;
    pool_chunk *chunks; /* the newest first */
    size_t total;       /* bytes in all chunks */
    pool_free returned[POOL_FREE_SLOTS];
    int32_t returned_count;
} pool;

/* Uninitialised, 64-byte aligned. Panics with CRU_NO_MEMORY. */
float *pool_take(pool *p, int64_t floats);

/* Gives a block back for the next pool_take of the same size within this step. */
void pool_return(pool *p, float *memory, int64_t floats);

/* Takes back everything. When the last step needed several chunks, they are merged into one, so that later steps of the
 * same size allocate nothing. */
void pool_reset(pool *p);
void pool_destroy(pool *p);

/* Makes all values that were given out NaN. */
void pool_poison(pool *p);

#endif
