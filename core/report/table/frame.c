// SPDX-License-Identifier: Apache-2.0
#include "report/table/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "report/table/texts.h"

/* ---- loading --------------------------------------------------------------------------------------------- */

/* What every trial has cost, as measures. */
enum { COST_SECONDS, COST_TO_BEST, COST_CONSTRUCT, COST_TRAIN, COST_PEAK, COSTS };
static const char *const cost_names[COSTS] = {"seconds", "seconds-to-best", "seconds-construct", "seconds-train",
                                              "peak-mib"};

typedef struct loading {
    frame *f;
    texts texts;
    int64_t id;
    int64_t offset, end; /* of the source's trials */
    bool too_many, found;
    double *costs[COSTS]; /* values of their measures; NULL: there was no room */
    char *key_space;      /* for the next keys */
    size_t key_room;
    int64_t column, measure;       /* that were written last: the next trial has the same ones in the same order */
    int32_t latest[FRAME_COLUMNS]; /* text that a column was given last, which its next trial often has, too */
} loading;

static int64_t add_column(loading *l, const char *name)
{
    frame *f = l->f;
    if (f->column_count == FRAME_COLUMNS) {
        l->too_many = true;
        return -1;
    }
    frame_column *column = &f->columns[f->column_count];
    *column = (frame_column){.name = name};
    column->ids = cru_arena_alloc(f->arena, f->count, sizeof *column->ids);
    for (int64_t i = 0; i < f->count; i++) column->ids[i] = -1;
    return f->column_count++;
}

static frame_measure *add_measure(loading *l, const char *name, uint32_t flags)
{
    frame *f = l->f;
    if (f->measure_count == FRAME_MEASURES) {
        l->too_many = true;
        return NULL;
    }
    frame_measure *m = &f->measures[f->measure_count++];
    *m = (frame_measure){.name = name, .flags = flags};
    m->values = cru_arena_alloc(f->arena, f->count, sizeof *m->values);
    for (int64_t i = 0; i < f->count; i++) m->values[i] = NAN;
    return m;
}

static bool load_name(void *user, const store_experiment_view *view)
{
    loading *l = user;
    if (view->id != l->id && store_former(view->id) != l->id) return true;
    l->found = true;
    if (l->f->column_count > 1)
        for (int64_t i = l->offset; i < l->end; i++) l->f->columns[1].ids[i] = texts_add(&l->texts, view->name);
    if (l->f->experiment) return false;
    l->f->experiment = texts_copy(&l->texts, view->name);
    l->f->config = view->config ? texts_copy(&l->texts, view->config) : "";
    return false;
}

static bool load_metric(void *user, const store_metric *metric)
{
    loading *l = user;
    if (frame_find_measure(l->f, metric->name)) return true;
    frame_measure *m = add_measure(l, texts_copy(&l->texts, metric->name), metric->flags);
    if (m) m->listed = true;
    return m != NULL;
}

static void put(const loading *l, int cost, int64_t index, double value)
{
    double *values = l->costs[cost];
    if (values && isnan(values[index])) values[index] = value;
}

/* Side by side: the arena's pieces are rounded up. */
static const char *copy_key(loading *l, const char *key)
{
    enum { MANY = 1 << 16 };
    const size_t size = strlen(key) + 1;
    if (size > l->key_room) {
        l->key_room = size > MANY ? size : MANY;
        l->key_space = cru_arena_alloc(l->f->arena, (int64_t)l->key_room, 1);
    }
    char *copy = memcpy(l->key_space, key, size);
    l->key_space += size;
    l->key_room -= size;
    return copy;
}

static bool load_trial(void *user, const store_trial_view *view)
{
    loading *l = user;
    int64_t index = l->offset + view->index;
    if (index >= l->end) return false;
    l->f->outcomes[index] = view->outcome;
    l->f->tried[index] = view->tried;
    l->f->former[index] = l->id < 0;
    l->f->keys[index] = copy_key(l, view->key);
    if (view->alias) l->f->columns[0].ids[index] = texts_add(&l->texts, view->alias);
    if (view->outcome != STORE_PENDING && view->finished_ms >= l->f->finished_ms) {
        l->f->finished_ms = view->finished_ms;
        l->f->environment = view->environment ? texts_copy(&l->texts, view->environment) : "";
    }
    if (view->outcome != STORE_OK) return true;
    put(l, COST_SECONDS, index, view->seconds_total);
    put(l, COST_TO_BEST, index, view->seconds_to_best);
    put(l, COST_CONSTRUCT, index, view->seconds_construct);
    put(l, COST_TRAIN, index, view->seconds_train);
    put(l, COST_PEAK, index, (double)view->peak_bytes / (1 << 20));
    return true;
}

/* The column of that name, the one after the last first; -1: there are too many. */
static int64_t column_of(loading *l, const char *name)
{
    const frame *f = l->f;
    for (int64_t i = 1; i <= f->column_count; i++) {
        const int64_t at = (l->column + i) % f->column_count;
        if (strcmp(f->columns[at].name, name) == 0) return l->column = at;
    }
    return l->column = add_column(l, texts_copy(&l->texts, name));
}

static bool load_setting(void *user, int64_t index, const store_setting *setting)
{
    loading *l = user;
    const int64_t column = column_of(l, setting->name);
    if (column < 0) return false;
    index += l->offset;
    if (index >= l->end) return true;
    int32_t *latest = &l->latest[column];
    if (*latest >= l->texts.count || strcmp(l->texts.text[*latest], setting->value) != 0)
        *latest = texts_add(&l->texts, setting->value);
    l->f->columns[column].ids[index] = *latest;
    return true;
}

/* As column_of. */
static const frame_measure *measure_of(loading *l, const char *name)
{
    const frame *f = l->f;
    for (int64_t i = 1; i <= f->measure_count; i++) {
        const int64_t at = (l->measure + i) % f->measure_count;
        if (strcmp(f->measures[at].name, name) != 0) continue;
        l->measure = at;
        return &f->measures[at];
    }
    return add_measure(l, texts_copy(&l->texts, name), 0);
}

/* Numbers of trials that did not end well are not results. */
static bool load_number(void *user, int64_t index, const store_number *number)
{
    loading *l = user;
    index += l->offset;
    if (index >= l->end || l->f->outcomes[index] != STORE_OK) return true;
    const frame_measure *m = measure_of(l, number->name);
    if (m) m->values[index] = number->value;
    return m != NULL;
}

/* From numbers of texts to numbers of levels. `level` has an entry of -1 for every text, and again afterwards. */
static void number_levels(frame_column *column, const loading *l, int32_t *level)
{
    const frame *f = l->f;
    for (int64_t i = 0; i < f->count; i++) {
        int32_t id = column->ids[i];
        if (id >= 0 && level[id] < 0) level[id] = column->level_count++;
    }
    column->levels = cru_arena_alloc(f->arena, column->level_count, sizeof *column->levels);
    for (int64_t i = 0; i < f->count; i++) {
        int32_t id = column->ids[i];
        if (id < 0) continue;
        column->levels[level[id]] = l->texts.text[id];
        column->ids[i] = level[id];
    }
    for (int32_t id = 0; id < l->texts.count; id++) level[id] = -1;
}

static void add_always(loading *l)
{
    for (int i = 0; i < COSTS; i++) {
        const frame_measure *m = frame_find_measure(l->f, cost_names[i]);
        if (!m) m = add_measure(l, cost_names[i], CRU_METRIC_LOWER_IS_BETTER);
        l->costs[i] = m ? m->values : NULL;
    }
}

static cru_status load_source(loading *l, const frame_source *source, cru_error *err)
{
    store *s = source->store;
    l->found = false;
    cru_status status = store_each_experiment(s, load_name, l, err);
    if (!status && !l->found) status = cru_fail(err, CRU_BAD_INPUT, "%s: no such experiment", store_path(s));
    if (!status) status = store_each_trial(s, l->id, load_trial, l, err);
    if (!status) status = store_each_setting(s, l->id, load_setting, l, err);
    if (!status) status = store_each_number(s, l->id, load_number, l, err);
    if (!status && l->too_many)
        status = cru_fail(err, CRU_BAD_INPUT, "%s: more than %d settings or %d metrics in the experiment '%s'",
                          store_path(s), FRAME_COLUMNS, FRAME_MEASURES, l->f->experiment);
    return status;
}

static cru_status load_sources(loading *l, const frame_source *sources, int64_t count, cru_error *err)
{
    cru_status status = CRU_OK;
    add_column(l, "alias");
    for (int64_t i = 1; i < count && l->f->column_count < 2; i++)
        if (sources[i].store != sources[0].store || llabs(sources[i].experiment) != llabs(sources[0].experiment))
            add_column(l, FRAME_EXPERIMENT);
    for (int64_t i = 0; !status && i < count; i++)
        if (sources[i].experiment > 0)
            status = store_each_metric(sources[i].store, sources[i].experiment, load_metric, l, err);
    add_always(l);
    for (int64_t i = 0; !status && i < count; i++) {
        int64_t length;
        status = store_length(sources[i].store, sources[i].experiment, &length, err);
        l->offset = l->end;
        l->end += length;
        if (l->end > l->f->count) l->end = l->f->count; /* another process adds trials meanwhile */
        l->id = sources[i].experiment;
        if (!status) status = load_source(l, &sources[i], err);
    }
    if (status) return status;
    int32_t *level = cru_arena_alloc(l->f->arena, l->texts.count, sizeof *level);
    for (int32_t i = 0; i < l->texts.count; i++) level[i] = -1;
    for (int64_t i = 0; i < l->f->column_count; i++) number_levels(&l->f->columns[i], l, level);
    return CRU_OK;
}

/* ---- one trial, several sources -------------------------------------------------------------------------- */

static bool counts_as_setting(const frame_column *column)
{
    return strcmp(column->name, FRAME_EXPERIMENT) != 0;
}

static uint64_t settings_hash(const frame *f, int64_t trial)
{
    uint64_t hash = 14695981039346656037u;
    for (int64_t c = 0; c < f->column_count; c++)
        if (counts_as_setting(&f->columns[c]))
            hash = (hash ^ (uint64_t)(f->columns[c].ids[trial] + 1)) * 1099511628211u;
    return hash;
}

static bool same_settings(const frame *f, int64_t a, int64_t b)
{
    for (int64_t c = 0; c < f->column_count; c++)
        if (counts_as_setting(&f->columns[c]) && f->columns[c].ids[a] != f->columns[c].ids[b]) return false;
    return f->tried[a] == f->tried[b];
}

/* Experiments that differ in nothing but metrics have the same trials: what one of them was not asked for, the other tells. */
static void take_metrics(const frame *f, int64_t trial, int64_t repeat)
{
    const frame_column *experiment = frame_find_column(f, FRAME_EXPERIMENT);
    if (!experiment || experiment->ids[trial] == experiment->ids[repeat] || f->former[trial] || f->former[repeat])
        return;
    if (f->outcomes[trial] != STORE_OK || f->outcomes[repeat] != STORE_OK) return;
    for (int64_t m = 0; m < f->measure_count; m++)
        if (isnan(f->measures[m].values[trial])) f->measures[m].values[trial] = f->measures[m].values[repeat];
}

/* A trial that was run by another version of a plugin, or that another store holds, has the same settings. */
static void drop_repeats(frame *f, int64_t first)
{
    int64_t size = 16;
    while (size < 2 * f->count) size *= 2;
    int64_t *slots = cru_arena_alloc_zeroed(f->arena, size, sizeof *slots);
    bool *keep = cru_arena_alloc(f->arena, f->count, sizeof *keep);
    for (int64_t i = 0; i < f->count; i++) {
        uint64_t at = settings_hash(f, i) & (uint64_t)(size - 1);
        keep[i] = true;
        while (slots[at] && keep[i]) {
            keep[i] = i < first || !same_settings(f, i, slots[at] - 1);
            if (!keep[i]) take_metrics(f, slots[at] - 1, i);
            at = (at + 1) & (uint64_t)(size - 1);
        }
        if (keep[i] && !slots[at]) slots[at] = i + 1;
    }
    frame_keep(f, keep);
}

cru_status frame_load(const frame_source *sources, int64_t count, frame **out, cru_error *err)
{
    *out = NULL;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the report", store_path(sources[0].store));
    frame *f = cru_arena_alloc_zeroed(arena, 1, sizeof *f);
    f->arena = arena;
    f->environment = "";
    f->columns = cru_arena_alloc(arena, FRAME_COLUMNS, sizeof *f->columns);
    f->measures = cru_arena_alloc(arena, FRAME_MEASURES, sizeof *f->measures);
    loading l = {.f = f, .texts.arena = arena};
    cru_status status = CRU_OK;
    int64_t first = 0; /* trials of the first source */
    for (int64_t k = 0; !status && k < count; k++) {
        int64_t length;
        status = store_length(sources[k].store, sources[k].experiment, &length, err);
        f->count += length;
        if (k == 0) first = f->count;
    }
    f->outcomes = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->outcomes);
    f->places = cru_arena_alloc(arena, f->count, sizeof *f->places);
    for (int64_t i = 0; i < f->count; i++) f->places[i] = i;
    f->tried = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->tried);
    f->former = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->former);
    f->keys = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->keys);
    if (!status) status = load_sources(&l, sources, count, err);
    if (status) {
        frame_destroy(f);
        return status;
    }
    if (f->count > first) drop_repeats(f, first);
    *out = f;
    return CRU_OK;
}

void frame_destroy(frame *f)
{
    if (f) cru_arena_destroy(f->arena);
}

const frame_column *frame_find_column(const frame *f, const char *name)
{
    for (int64_t i = 0; i < f->column_count; i++) {
        if (strcmp(f->columns[i].name, name) == 0) return &f->columns[i];
    }
    return NULL;
}

const frame_measure *frame_find_measure(const frame *f, const char *name)
{
    for (int64_t i = 0; i < f->measure_count; i++) {
        if (strcmp(f->measures[i].name, name) == 0) return &f->measures[i];
    }
    return NULL;
}
