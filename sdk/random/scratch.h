// SPDX-License-Identifier: Apache-2.0
/* Memory for the length of one draw. */
#ifndef CRU_RANDOM_SCRATCH_H
#define CRU_RANDOM_SCRATCH_H

#include <crucible/arena.h>

static inline cru_arena *scratch_create(void)
{
    cru_arena *scratch = cru_arena_create();
    if (!scratch) cru_panic(CRU_NO_MEMORY, "out of memory: no scratch memory for a draw");
    return scratch;
}

#endif
