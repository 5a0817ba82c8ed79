// SPDX-License-Identifier: Apache-2.0
/* draft/pool.h: the rest of a list of ids. Continues pool.h. */
#ifndef CRUCIBLE_DRAFT_POOL_H
#define CRUCIBLE_DRAFT_POOL_H

#include <crucible/pool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The ids 0 .. count-1 that are not in `part`, ascending. */
CRU_API cru_ids cru_ids_rest(cru_pool pool, cru_ids part, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
