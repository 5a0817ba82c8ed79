// SPDX-License-Identifier: Apache-2.0
#include "report/plot/plot-maps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/table/keys.h"

#define POINTS ".points"

/* The lists of one trial that make a map, which the metric of that name reported. */
typedef struct finding {
    const char *metric;
    cru_arena *arena;
    double *points, *truth, *predicted;
    int64_t numbers, truths, predictions; /* their lengths */
} finding;

static double *copy_numbers(cru_arena *arena, const store_vector *v)
{
    double *copy = cru_arena_alloc(arena, v->count, sizeof *copy);
    if (v->count) memcpy(copy, v->values, (size_t)v->count * sizeof *copy);
    return copy;
}

static bool find_list(void *user, const store_vector *v)
{
    finding *g = user;
    const size_t length = strlen(g->metric);
    if (strncmp(v->name, g->metric, length) != 0) return true;
    const char *end = v->name + length;
    if (strcmp(end, POINTS) == 0) {
        g->points = copy_numbers(g->arena, v);
        g->numbers = v->count;
    } else if (strcmp(end, ".truth") == 0) {
        g->truth = copy_numbers(g->arena, v);
        g->truths = v->count;
    } else if (strcmp(end, ".predicted") == 0) {
        g->predicted = copy_numbers(g->arena, v);
        g->predictions = v->count;
    }
    return true;
}

/* The metric that reported maps: a matrix tells its rows as NAME.rows. NULL: none did. */
static const char *metric_with_maps(const frame *f)
{
    static const char end[] = POINTS ".rows";
    for (int64_t i = 0; i < f->measure_count; i++) {
        const char *name = f->measures[i].name;
        const size_t length = strlen(name), tail = sizeof end - 1;
        if (length <= tail || strcmp(name + length - tail, end) != 0) continue;
        char *metric = cru_arena_alloc(f->arena, (int64_t)(length - tail) + 1, 1);
        return memcpy(metric, name, length - tail);
    }
    return NULL;
}

static int32_t *copy_classes(plot_maps *maps, cru_arena *arena, const double *classes, int64_t count)
{
    int32_t *ids = cru_arena_alloc(arena, count, sizeof *ids);
    for (int64_t i = 0; i < count; i++) {
        ids[i] = (int32_t)classes[i];
        if (ids[i] >= maps->class_count) maps->class_count = ids[i] + 1;
    }
    return ids;
}

static void put_map(plot_maps *maps, cru_arena *arena, const finding *g, const char *title)
{
    plot_data *d = &maps->items[maps->count++];
    *d = (plot_data){.path = title, .rows = g->truths, .cols = 2};
    d->values = cru_arena_alloc(arena, g->numbers, sizeof *d->values);
    for (int64_t i = 0; i < g->numbers; i++) d->values[i] = (float)g->points[i];
    d->truth.ids = copy_classes(maps, arena, g->truth, g->truths);
    d->predictions[0] = (plot_classes){.name = title, .ids = copy_classes(maps, arena, g->predicted, g->truths)};
    d->prediction_count = 1;
}

/* "gcn, cora, level=high": what the trial has of the keys. */
static const char *title_of(const frame *f, const pivot_keys *keys, int64_t trial)
{
    enum { ROOM = 300 };
    char *text = cru_arena_alloc_zeroed(f->arena, ROOM, 1);
    const key_list *lists[] = {&keys->rows, &keys->cols};
    for (int k = 0; k < 2; k++)
        for (int64_t i = 0; i < lists[k]->count; i++) {
            const frame_column *column = lists[k]->columns[i];
            if (column->ids[trial] < 0) continue;
            const char *dot = strrchr(column->name, '.'), *name = dot ? dot + 1 : column->name;
            const bool plain = !dot; /* alias and dataset speak for themselves */
            const size_t used = strlen(text);
            snprintf(text + used, ROOM - used, "%s%s%s%s", used ? ", " : "", plain ? "" : name, plain ? "" : "=",
                     column->levels[column->ids[trial]]);
        }
    return text;
}

/* Looks in all sources: a trial is in one of them. */
static bool find_map(const frame *f, const frame_source *sources, int64_t count, int64_t trial, finding *g)
{
    for (int64_t k = 0; k < count && !g->points; k++)
        if (k == 0 || sources[k].store != sources[k - 1].store)
            store_each_vector(sources[k].store, f->keys[trial], find_list, g, NULL);
    return g->points && g->truth && g->predicted && g->truths >= 4 && g->predictions == g->truths &&
           g->numbers == 2 * g->truths;
}

static void name_classes(plot_maps *maps, cru_arena *arena)
{
    enum { ROOM = 24 };
    maps->class_names = cru_arena_alloc(arena, maps->class_count, sizeof *maps->class_names);
    for (int32_t c = 0; c < maps->class_count; c++) {
        char *name = cru_arena_alloc(arena, ROOM, 1);
        snprintf(name, ROOM, "class %d", c);
        maps->class_names[c] = name;
    }
}

static void read_groups(frame *f, const frame_source *sources, int64_t count, const pivot_keys *keys, plot_maps *maps)
{
    const char *metric = metric_with_maps(f);
    const frame_measure *value = metric ? frame_find_measure(f, metric) : NULL;
    grouping groups = grouping_start(f);
    for (int64_t i = 0; i < keys->rows.count; i++) grouping_split(&groups, f, keys->rows.columns[i]);
    for (int64_t i = 0; i < keys->cols.count; i++) grouping_split(&groups, f, keys->cols.columns[i]);
    bool *done = cru_arena_alloc_zeroed(f->arena, groups.count, sizeof *done);
    for (int64_t i = 0; metric && i < f->count; i++) {
        finding g = {.metric = metric, .arena = f->arena};
        if (done[groups.ids[i]] || f->outcomes[i] != STORE_OK || !find_map(f, sources, count, i, &g)) continue;
        maps->more = maps->count == PLOT_MAPS_MOST;
        if (maps->more) break;
        done[groups.ids[i]] = true;
        maps->silhouettes[maps->count] = value ? value->values[i] : NAN;
        put_map(maps, f->arena, &g, title_of(f, keys, i));
    }
}

cru_status plot_maps_read(frame *f, const frame_source *sources, int64_t count, const table_request *request,
                          plot_maps **out, cru_error *err)
{
    pivot_keys keys;
    *out = NULL;
    if (!metric_with_maps(f)) return CRU_OK;
    cru_status status = pivot_keys_choose(f, request, &keys, err);
    if (status) return status;
    plot_maps *maps = cru_arena_alloc_zeroed(f->arena, 1, sizeof *maps);
    maps->items = cru_arena_alloc_zeroed(f->arena, PLOT_MAPS_MOST, sizeof *maps->items);
    maps->silhouettes = cru_arena_alloc(f->arena, PLOT_MAPS_MOST, sizeof *maps->silhouettes);
    read_groups(f, sources, count, &keys, maps);
    if (maps->count == 0) return CRU_OK;
    name_classes(maps, f->arena);
    for (int64_t i = 0; i < maps->count; i++) {
        maps->items[i].class_names = maps->class_names;
        maps->items[i].class_count = maps->class_count;
    }
    *out = maps;
    return CRU_OK;
}
