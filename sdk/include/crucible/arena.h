// SPDX-License-Identifier: Apache-2.0
/* arena.h: memory that is given back all at once.
 *
 * An arena hands out pieces of large chunks. Nothing is freed by itself: a reset to a mark takes back everything given
 * out since, and keeps the chunks, so that a loop which marks, works and resets asks the system for memory only in its
 * first round.
 *
 *     cru_mark start = cru_arena_mark(arena);
 *     for (int64_t i = 0; i < rounds; i++) {
 *         float *scratch = cru_arena_alloc(arena, n, sizeof *scratch);
 *         ...
 *         cru_arena_reset(arena, start);
 *     }
 *
 * Pieces are aligned to 64 bytes. Not shared between threads. */
#ifndef CRUCIBLE_ARENA_H
#define CRUCIBLE_ARENA_H

#include <crucible/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_arena cru_arena;

/* A point in an arena's life; meaningful only for that arena, and until a reset to an earlier mark. */
typedef struct cru_mark {
    void *chunk;
    size_t used;
} cru_mark;

/* NULL when there is no memory. Destroying NULL does nothing. */
CRU_API cru_arena *cru_arena_create(void);
CRU_API void cru_arena_destroy(cru_arena *arena);

/* `count` elements of `size` bytes, uninitialised. NULL when memory is exhausted, when count is negative or when the
 * product overflows. Zero bytes give a pointer that must not be followed. */
CRU_API void *cru_arena_try(cru_arena *arena, int64_t count, size_t size);

/* cru_arena_try, zeroed. Cheap for memory that was never given out before: fresh pages are zero already. */
CRU_API void *cru_arena_try_zeroed(cru_arena *arena, int64_t count, size_t size);

/* cru_arena_try and cru_arena_try_zeroed, but never NULL: they end in cru_panic(CRU_NO_MEMORY, ...). */
CRU_API void *cru_arena_alloc(cru_arena *arena, int64_t count, size_t size);
CRU_API void *cru_arena_alloc_zeroed(cru_arena *arena, int64_t count, size_t size);

CRU_API cru_mark cru_arena_mark(const cru_arena *arena);
CRU_API void cru_arena_reset(cru_arena *arena, cru_mark mark);

#ifdef __cplusplus
}
#endif
#endif
