// SPDX-License-Identifier: Apache-2.0
/* shared-arena.h: an arena that several threads take from, one at a time. */
#ifndef FORMATS_SHARED_ARENA_H
#define FORMATS_SHARED_ARENA_H

#include <crucible/arena.h>

/* As cru_arena_try. */
static inline void *shared_arena_try(cru_arena *arena, int64_t count, size_t size)
{
    void *piece;
#pragma omp critical(formats_shared_arena)
    piece = cru_arena_try(arena, count, size);
    return piece;
}

#endif
