// SPDX-License-Identifier: Apache-2.0
/* draft/arena.h: how much memory an arena holds. Continues arena.h. */
#ifndef CRUCIBLE_DRAFT_ARENA_H
#define CRUCIBLE_DRAFT_ARENA_H

#include <crucible/arena.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes held from the system, given out or not. */
CRU_API int64_t cru_arena_bytes(const cru_arena *arena);

#ifdef __cplusplus
}
#endif
#endif
