// SPDX-License-Identifier: Apache-2.0
/* heap.h: scratch memory inside one SDK function; freed with free(). */
#ifndef CRU_MEMORY_HEAP_H
#define CRU_MEMORY_HEAP_H

#include <stddef.h>
#include <stdint.h>

#include <crucible/arena.h>

/* Zeroed memory for count items, never NULL: a size that overflows or cannot be had is a panic with CRU_NO_MEMORY. */
void *heap_alloc(int64_t count, size_t size);

/* The block `old` (may be NULL) resized to count items; what is new is not zeroed. */
void *heap_grow(void *old, int64_t count, size_t size);

/* An arena for the intermediate results of one function, never NULL; the caller destroys it. */
cru_arena *heap_arena(void);

#endif
