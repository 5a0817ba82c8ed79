// SPDX-License-Identifier: Apache-2.0
/* frame-group.c: trials that agree on some settings. */
#include <stdlib.h>
#include <string.h>

#include "report/table/frame.h"

grouping grouping_start(const frame *f)
{
    grouping g = {.ids = cru_arena_alloc_zeroed(f->arena, f->count, sizeof *g.ids), .count = f->count > 0};
    g.first = cru_arena_alloc_zeroed(f->arena, 1, sizeof *g.first);
    return g;
}

/* One pass of a radix sort: puts the trials of `from` into `to`, by `digit` (at least -1, less than `digits`), those
 * with the same one in the order in which they come. */
typedef struct pass {
    const int32_t *digit;
    int64_t digits;
    const int32_t *from; /* NULL: trials in their own order */
    int32_t *to;
} pass;

static void sort_pass(const pass *p, int64_t count, int64_t *starts)
{
    memset(starts, 0, (size_t)(p->digits + 2) * sizeof *starts);
    for (int64_t i = 0; i < count; i++) starts[p->digit[i] + 2]++;
    for (int64_t d = 1; d <= p->digits; d++) starts[d + 1] += starts[d];
    for (int64_t i = 0; i < count; i++) {
        const int32_t trial = p->from ? p->from[i] : (int32_t)i;
        p->to[starts[p->digit[trial] + 1]++] = trial;
    }
}

/* Groups are numbered by the old group, then by the level. */
static void number_groups(grouping *g, const frame *f, const frame_column *column, const int32_t *order)
{
    int32_t count = 0, old = -1;
    int64_t *first = malloc((size_t)f->count * sizeof *first);
    if (!first) cru_panic(CRU_NO_MEMORY, "no memory for groups of %ld trials", (long)f->count);
    for (int64_t i = 0; i < f->count; i++) {
        const int32_t trial = order[i];
        if (i == 0 || g->ids[trial] != old || column->ids[trial] != column->ids[order[i - 1]]) first[count++] = trial;
        old = g->ids[trial];
        g->ids[trial] = count - 1;
    }
    g->first = cru_arena_alloc(f->arena, count, sizeof *g->first);
    memcpy(g->first, first, (size_t)count * sizeof *first);
    g->count = count;
    free(first);
}

void grouping_split(grouping *g, const frame *f, const frame_column *column)
{
    if (f->count == 0) return;
    const int64_t digits = g->count > column->level_count ? g->count : column->level_count;
    int64_t *starts = malloc((size_t)(digits + 2) * sizeof *starts);
    int32_t *by_level = malloc((size_t)f->count * sizeof *by_level), *order = malloc((size_t)f->count * sizeof *order);
    if (!starts || !by_level || !order) cru_panic(CRU_NO_MEMORY, "no memory for groups of %ld trials", (long)f->count);
    sort_pass(&(pass){column->ids, column->level_count, NULL, by_level}, f->count, starts);
    sort_pass(&(pass){g->ids, g->count, by_level, order}, f->count, starts);
    number_groups(g, f, column, order);
    free(starts);
    free(by_level);
    free(order);
}

bool grouping_determines(const grouping *g, const frame *f, const frame_column *column)
{
    for (int64_t i = 0; i < f->count; i++) {
        if (column->ids[i] != column->ids[g->first[g->ids[i]]]) return false;
    }
    return true;
}
