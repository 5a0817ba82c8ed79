// SPDX-License-Identifier: Apache-2.0
/* pool.h: where results go.
 *
 * Functions that make graphs and matrices take the memory for their result from a pool, so that one toolbox serves
 * methods (memory of the context), datasets and corruptors (memory of the data) and all others (an arena). A pool is a
 * small value; what it gives out is zeroed, aligned to 64 bytes and lives as long as the pool's owner: nothing is freed
 * piece by piece.
 *
 *     cru_csr adj = cru_graph_gcn(cru_ctx_pool(ctx), &task->graph, CRU_LOOPS_ADD);
 *
 * Running out of memory is not a status but a panic (status.h): a trial ends as `oom`, whoever asked. */
#ifndef CRUCIBLE_POOL_H
#define CRUCIBLE_POOL_H

#include <crucible/arena.h>
#include <crucible/context.h>
#include <crucible/task.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cru_pool {
    void *(*alloc)(void *owner, int64_t count, size_t size); /* as cru_data_alloc: NULL when there is none left */
    void *owner;
} cru_pool;

/* count * size bytes, never NULL. */
CRU_API void *cru_pool_alloc(cru_pool pool, int64_t count, size_t size);

/* The pool of an arena: for metrics and tests, and for graphs that are rebuilt again and again (mark, build, use,
 * reset). */
static inline void *cru_arena_pool_alloc(void *owner, int64_t count, size_t size)
{
    return cru_arena_try_zeroed((cru_arena *)owner, count, size);
}

static inline cru_pool cru_arena_pool(cru_arena *arena)
{
    cru_pool pool = {cru_arena_pool_alloc, arena};
    return pool;
}

static inline void *cru_ctx_pool_alloc(void *owner, int64_t count, size_t size)
{
    return cru_ctx_alloc((cru_ctx *)owner, count, size);
}

static inline cru_pool cru_ctx_pool(cru_ctx *ctx)
{
    cru_pool pool = {cru_ctx_pool_alloc, ctx};
    return pool;
}

static inline void *cru_data_pool_alloc(void *owner, int64_t count, size_t size)
{
    return cru_data_alloc((cru_data *)owner, count, size);
}

static inline cru_pool cru_data_pool(cru_data *data)
{
    cru_pool pool = {cru_data_pool_alloc, data};
    return pool;
}

/* The ids 0 .. count-1 that are not in `part`, ascending. */
CRU_API cru_ids cru_ids_rest(cru_pool pool, cru_ids part, int64_t count);

#ifdef __cplusplus
}
#endif
#endif
