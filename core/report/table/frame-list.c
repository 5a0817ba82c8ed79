// SPDX-License-Identifier: Apache-2.0
/* frame-list.c: lists that trials reported, as measures. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/table/frame.h"

typedef struct listing {
    frame *f;
    const char *name;
    int64_t first, length; /* its measures */
    int64_t trial;
    bool too_long;
} listing;

static bool grow(listing *l, int64_t length)
{
    frame *f = l->f;
    l->too_long = l->first + length > FRAME_MEASURES;
    if (l->too_long) return false;
    for (; l->length < length; l->length++) {
        frame_measure *m = &f->measures[f->measure_count++];
        const size_t room = strlen(l->name) + 24;
        char *name = cru_arena_alloc(f->arena, (int64_t)room, 1);
        snprintf(name, room, "%s.%d", l->name, (int)l->length + 1);
        *m = (frame_measure){.name = name, .values = cru_arena_alloc(f->arena, f->count, sizeof *m->values)};
        for (int64_t i = 0; i < f->count; i++) m->values[i] = NAN;
    }
    return true;
}

static bool put_list(void *user, const store_vector *vector)
{
    listing *l = user;
    if (strcmp(vector->name, l->name) != 0) return true;
    if (!grow(l, vector->count)) return false;
    for (int64_t i = 0; i < vector->count; i++) l->f->measures[l->first + i].values[l->trial] = vector->values[i];
    return false;
}

cru_status frame_add_list(frame *f, const frame_source *sources, int64_t count, const char *name, cru_error *err)
{
    listing l = {.f = f, .name = name, .first = f->measure_count};
    bool any = false;
    for (int64_t k = 0; k < count; k++) {
        if (k > 0 && sources[k].store == sources[k - 1].store) continue;
        for (l.trial = 0; !l.too_long && l.trial < f->count; l.trial++) {
            if (f->outcomes[l.trial] != STORE_OK) continue;
            any = true;
            cru_status status = store_each_vector(sources[k].store, f->keys[l.trial], put_list, &l, err);
            if (status && status != CRU_BAD_INPUT) return status; /* it may be a trial of another store */
        }
    }
    if (l.too_long) return cru_fail(err, CRU_BAD_INPUT, "the list '%s' is too long for a table", name);
    return l.length || !any ? CRU_OK : cru_fail(err, CRU_BAD_INPUT, "no trial reported a list '%s'", name);
}
