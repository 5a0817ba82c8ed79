// SPDX-License-Identifier: Apache-2.0
#include "report/table/frame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "report/table/texts.h"

enum { FRAME_COLUMNS = 1024, FRAME_MEASURES = 1024 };

/* ---- loading --------------------------------------------------------------------------------------------- */

typedef struct loading {
    frame *f;
    texts texts;
    int64_t id;
    int64_t offset, end; /* of the source's trials */
    bool too_many, found;
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

static void put(const frame *f, const char *measure, int64_t index, double value)
{
    const frame_measure *m = frame_find_measure(f, measure);
    if (m && isnan(m->values[index])) m->values[index] = value;
}

static const char *copy_key(const frame *f, const char *key)
{
    size_t size = strlen(key) + 1;
    return memcpy(cru_arena_alloc(f->arena, (int64_t)size, 1), key, size);
}

static bool load_trial(void *user, const store_trial_view *view)
{
    loading *l = user;
    int64_t index = l->offset + view->index;
    if (index >= l->end) return false;
    l->f->outcomes[index] = view->outcome;
    l->f->tried[index] = view->tried;
    l->f->keys[index] = copy_key(l->f, view->key);
    if (view->alias) l->f->columns[0].ids[index] = texts_add(&l->texts, view->alias);
    if (view->outcome != STORE_PENDING && view->finished_ms >= l->f->finished_ms) {
        l->f->finished_ms = view->finished_ms;
        l->f->environment = view->environment ? texts_copy(&l->texts, view->environment) : "";
    }
    if (view->outcome != STORE_OK) return true;
    put(l->f, "seconds", index, view->seconds_total);
    put(l->f, "seconds-to-best", index, view->seconds_to_best);
    put(l->f, "seconds-construct", index, view->seconds_construct);
    put(l->f, "seconds-train", index, view->seconds_train);
    put(l->f, "peak-mib", index, (double)view->peak_bytes / (1 << 20));
    return true;
}

static bool load_setting(void *user, int64_t index, const store_setting *setting)
{
    loading *l = user;
    const char *name = texts_copy(&l->texts, setting->name);
    int64_t column = 0;
    while (column < l->f->column_count && l->f->columns[column].name != name) column++;
    if (column == l->f->column_count) column = add_column(l, name);
    if (column < 0) return false;
    index += l->offset;
    if (index < l->end) l->f->columns[column].ids[index] = texts_add(&l->texts, setting->value);
    return true;
}

/* Numbers of trials that did not end well are not results. */
static bool load_number(void *user, int64_t index, const store_number *number)
{
    loading *l = user;
    index += l->offset;
    if (index >= l->end || l->f->outcomes[index] != STORE_OK) return true;
    const frame_measure *m = frame_find_measure(l->f, number->name);
    if (!m) m = add_measure(l, texts_copy(&l->texts, number->name), 0);
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
    static const char *const always[] = {"seconds", "seconds-to-best", "seconds-construct", "seconds-train",
                                         "peak-mib"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        if (!frame_find_measure(l->f, always[i])) add_measure(l, always[i], CRU_METRIC_LOWER_IS_BETTER);
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
