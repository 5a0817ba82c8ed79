// SPDX-License-Identifier: Apache-2.0
#include "registry/wrapped.h"

#include "config/strings.h"

size_t wrapped_start(size_t outer_size)
{
    enum { ALIGN = 16 };
    return (outer_size + ALIGN - 1) / ALIGN * ALIGN;
}

typedef struct joining {
    cru_arena *arena;
    cru_param *next;
    const char *prefix;
    size_t start;
} joining;

static bool count(void *user, const cru_param *param, size_t base)
{
    (void)param, (void)base;
    ++*(int64_t *)user;
    return true;
}

static bool join(void *user, const cru_param *param, size_t base)
{
    joining *j = user;
    *j->next = *param;
    j->next->key = string_format(j->arena, "%s%s", j->prefix, param->key);
    j->next->offset = j->start + base + param->offset;
    j->next++;
    return true;
}

param_table wrapped_table(cru_arena *arena, param_table outer, param_table inner)
{
    int64_t all = 0;
    cru_params_visit(outer.params, count, &all);
    cru_params_visit(inner.params, count, &all);
    cru_param *params = cru_arena_alloc_zeroed(arena, all + 1, sizeof *params); /* ends with CRU_PARAM_END */
    joining j = {.arena = arena, .next = params, .prefix = ""};
    cru_params_visit(outer.params, join, &j);
    j.prefix = WRAPPED_PREFIX;
    j.start = wrapped_start(outer.size);
    cru_params_visit(inner.params, join, &j);
    return (param_table){params, j.start + inner.size};
}
