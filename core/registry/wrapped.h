// SPDX-License-Identifier: Apache-2.0
/* wrapped.h: the settings of a wrapper and of the method inside as one table (wrapper.h of the SDK).
 *
 * The keys of the method are inner.KEY, and its struct lies behind that of the wrapper. Made in the host from the
 * registry, to check a section and to lay out a search, and again in the worker from the plugins themselves. */
#ifndef CORE_REGISTRY_WRAPPED_H
#define CORE_REGISTRY_WRAPPED_H

#include <crucible/arena.h>
#include <crucible/params.h>

#define WRAPPED_PREFIX "inner."

/* A table and the size of the struct that it describes. */
typedef struct param_table {
    const cru_param *params; /* NULL: no settings */
    size_t size;
} param_table;

/* Where the struct of the method begins. */
size_t wrapped_start(size_t outer_size);

/* In the arena; strings are borrowed from both. */
param_table wrapped_table(cru_arena *arena, param_table outer, param_table inner);

#endif
