// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot-vector.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Which trials of the store's list are in the frame, and their keys. */
typedef struct listing {
    const frame *f;
    cru_arena *arena;
    const char **keys;
    int64_t next; /* of the frame's trials, which are in the order of the list */
} listing;

static bool take_key(void *user, const store_trial_view *view)
{
    listing *l = user;
    if (l->next < l->f->count && l->f->places[l->next] == view->index) {
        size_t bytes = strlen(view->key) + 1;
        l->keys[l->next++] = memcpy(cru_arena_alloc(l->arena, (int64_t)bytes, 1), view->key, bytes);
    }
    return l->next < l->f->count;
}

enum { NAME_SIZE = 200 };

typedef struct adding {
    const char *name;
    char known[300]; /* names that were met */
    double *sum;
    int64_t count, trials; /* numbers of the vector; 0: not met yet */
    int64_t rows;          /* of a matrix that is not square; 0: not told */
    bool uneven;
    char met[NAME_SIZE], other[NAME_SIZE]; /* full names in one trial that could be meant; empty: none */
} adding;

static bool is_named(const char *full, const char *name)
{
    const char *dot = strrchr(full, '.');
    return strcmp(full, name) == 0 || (dot && strcmp(dot + 1, name) == 0);
}

static bool add_vector(void *user, const store_vector *v)
{
    adding *a = user;
    if (!is_named(v->name, a->name)) {
        size_t used = strlen(a->known);
        if (!strstr(a->known, v->name))
            snprintf(a->known + used, sizeof a->known - used, "%s%s", used ? ", " : "", v->name);
        return true;
    }
    const bool whole = strcmp(v->name, a->name) == 0;
    if (*a->met) { /* of two with the same end none is better */
        snprintf(a->other, sizeof a->other, "%s", v->name);
        return !whole;
    }
    snprintf(a->met, sizeof a->met, "%s", v->name);
    if (a->count == 0) {
        a->count = v->count;
        a->sum = calloc((size_t)v->count + 1, sizeof *a->sum);
        if (!a->sum) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld numbers", (long long)v->count);
    }
    a->uneven |= v->count != a->count;
    for (int64_t i = 0; i < v->count && !a->uneven; i++) a->sum[i] += v->values[i];
    a->trials++;
    return !whole;
}

/* The rows of the matrix that was met in this trial, where they are told. */
static cru_status take_rows(store *s, const char *key, adding *a, cru_error *err)
{
    char name[NAME_SIZE + 8];
    double rows = NAN;
    snprintf(name, sizeof name, "%s.rows", a->met);
    cru_status status = store_get_number(s, key, name, &rows, err);
    if (!status && rows >= 1 && rows <= (double)a->count) a->rows = (int64_t)rows;
    return status;
}

static cru_status add_trial(store *s, const char *key, adding *a, cru_error *err)
{
    *a->met = *a->other = 0;
    cru_status status = store_each_vector(s, key, add_vector, a, err);
    if (!status && *a->other)
        status = cru_fail(err, CRU_BAD_INPUT, "'%s' may be %s or %s; say which", a->name, a->met, a->other);
    return !status && *a->met && !a->rows ? take_rows(s, key, a, err) : status;
}

static cru_status add_all(store *s, const listing *l, adding *a, cru_error *err)
{
    for (int64_t i = 0; i < l->next; i++) {
        cru_status status = add_trial(s, l->keys[i], a, err);
        if (status) return status;
    }
    if (a->uneven)
        return cru_fail(err, CRU_BAD_INPUT, "%s is not of one length in all trials; --where takes some", a->name);
    if (a->count > 0) return CRU_OK;
    return cru_fail(err, CRU_BAD_INPUT, "no trial of '%s' reported a vector '%s'; there are: %s", l->f->experiment,
                    a->name, a->known[0] ? a->known : "none");
}

static plot_data *make_data(cru_arena *arena, const adding *a)
{
    plot_data *d = cru_arena_alloc_zeroed(arena, 1, sizeof *d);
    int64_t side = llround(sqrt((double)a->count));
    enum { TITLE = 300 };
    char *title = cru_arena_alloc(arena, TITLE, 1);
    snprintf(title, TITLE, "%s, mean of %lld trials", a->name, (long long)a->trials);
    int64_t rows = side * side == a->count && side > 1 ? side : 1;
    if (a->rows && a->count % a->rows == 0) rows = a->rows;
    *d = (plot_data){.arena = arena, .path = title, .rows = rows, .cols = a->count / rows};
    d->values = cru_arena_alloc(arena, a->count, sizeof *d->values);
    for (int64_t i = 0; i < a->count; i++) { /* a cell that is no number stays empty */
        double mean = a->sum[i] / (double)a->trials;
        d->values[i] = isfinite(mean) ? (float)mean : NAN;
    }
    return d;
}

cru_status plot_vector_read(store *s, int64_t experiment, const frame *f, const char *name, plot_data **out,
                            cru_error *err)
{
    *out = NULL;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "plot: no memory for a vector");
    listing l = {.f = f, .arena = arena, .keys = cru_arena_alloc(arena, f->count, sizeof *l.keys)};
    adding a = {.name = name};
    cru_status status = store_each_trial(s, experiment, take_key, &l, err);
    if (!status) status = add_all(s, &l, &a, err);
    if (!status) *out = make_data(arena, &a);
    free(a.sum);
    if (status) cru_arena_destroy(arena);
    return status;
}
