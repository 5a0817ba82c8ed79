// SPDX-License-Identifier: Apache-2.0
/* frame-group.c: trials that agree on some settings. */
#include <stdlib.h>

#include "report/table/frame.h"

grouping grouping_start(const frame *f)
{
    grouping g = {.ids = cru_arena_alloc_zeroed(f->arena, f->count, sizeof *g.ids), .count = f->count > 0};
    g.first = cru_arena_alloc_zeroed(f->arena, 1, sizeof *g.first);
    return g;
}

typedef struct member {
    int32_t group, level;
    int64_t trial;
} member;

static int by_group_and_level(const void *a, const void *b)
{
    const member *x = a, *y = b;
    if (x->group != y->group) return x->group < y->group ? -1 : 1;
    if (x->level != y->level) return x->level < y->level ? -1 : 1;
    return (x->trial > y->trial) - (x->trial < y->trial);
}

void grouping_split(grouping *g, const frame *f, const frame_column *column)
{
    if (f->count == 0) return;
    member *members = cru_arena_alloc(f->arena, f->count, sizeof *members);
    for (int64_t i = 0; i < f->count; i++) members[i] = (member){g->ids[i], column->ids[i], i};
    qsort(members, (size_t)f->count, sizeof *members, by_group_and_level);
    int32_t group = -1;
    g->first = cru_arena_alloc(f->arena, f->count, sizeof *g->first);
    for (int64_t i = 0; i < f->count; i++) {
        bool fresh = i == 0 || members[i].group != members[i - 1].group || members[i].level != members[i - 1].level;
        if (fresh) g->first[++group] = members[i].trial;
        g->ids[members[i].trial] = group;
    }
    g->count = group + 1;
}

bool grouping_determines(const grouping *g, const frame *f, const frame_column *column)
{
    for (int64_t i = 0; i < f->count; i++) {
        if (column->ids[i] != column->ids[g->first[g->ids[i]]]) return false;
    }
    return true;
}
