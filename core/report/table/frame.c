// SPDX-License-Identifier: Apache-2.0
#include "report/table/frame.h"

#include <math.h>
#include <string.h>

#include <crucible/plugin.h>

#include "report/table/texts.h"

enum { FRAME_COLUMNS = 1024, FRAME_MEASURES = 1024 };

/* ---- loading --------------------------------------------------------------------------------------------- */

typedef struct loading {
    frame *f;
    texts texts;
    int64_t id;
    bool too_many;
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
    if (view->id != l->id) return true;
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

static bool load_trial(void *user, const store_trial_view *view)
{
    loading *l = user;
    if (view->index >= l->f->count) return false;
    l->f->outcomes[view->index] = view->outcome;
    l->f->tried[view->index] = view->tried;
    if (view->alias) l->f->columns[0].ids[view->index] = texts_add(&l->texts, view->alias);
    if (view->outcome != STORE_PENDING && view->finished_ms >= l->f->finished_ms) {
        l->f->finished_ms = view->finished_ms;
        l->f->environment = view->environment ? texts_copy(&l->texts, view->environment) : "";
    }
    if (view->outcome != STORE_OK) return true;
    put(l->f, "seconds", view->index, view->seconds_total);
    put(l->f, "seconds-to-best", view->index, view->seconds_to_best);
    put(l->f, "seconds-construct", view->index, view->seconds_construct);
    put(l->f, "seconds-train", view->index, view->seconds_train);
    put(l->f, "peak-mib", view->index, (double)view->peak_bytes / (1 << 20));
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
    if (index < l->f->count) l->f->columns[column].ids[index] = texts_add(&l->texts, setting->value);
    return true;
}

/* Numbers of trials that did not end well are not results. */
static bool load_number(void *user, int64_t index, const store_number *number)
{
    loading *l = user;
    if (index >= l->f->count || l->f->outcomes[index] != STORE_OK) return true;
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

static cru_status load_all(loading *l, store *s, cru_error *err)
{
    frame *f = l->f;
    cru_status status = store_each_metric(s, l->id, load_metric, l, err);
    add_column(l, "alias");
    static const char *const always[] = {"seconds", "seconds-to-best", "seconds-construct", "seconds-train",
                                         "peak-mib"};
    for (size_t i = 0; i < sizeof always / sizeof *always; i++) {
        if (!frame_find_measure(f, always[i])) add_measure(l, always[i], CRU_METRIC_LOWER_IS_BETTER);
    }
    if (!status) status = store_each_trial(s, l->id, load_trial, l, err);
    if (!status) status = store_each_setting(s, l->id, load_setting, l, err);
    if (!status) status = store_each_number(s, l->id, load_number, l, err);
    if (status) return status;
    if (l->too_many) {
        return cru_fail(err, CRU_BAD_INPUT, "%s: more than %d settings or %d metrics in the experiment '%s'",
                        store_path(s), FRAME_COLUMNS, FRAME_MEASURES, f->experiment);
    }
    int32_t *level = cru_arena_alloc(f->arena, l->texts.count, sizeof *level);
    for (int32_t i = 0; i < l->texts.count; i++) level[i] = -1;
    for (int64_t i = 0; i < f->column_count; i++) number_levels(&f->columns[i], l, level);
    return CRU_OK;
}

cru_status frame_load(store *s, int64_t experiment, frame **out, cru_error *err)
{
    *out = NULL;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: no memory for the report", store_path(s));
    frame *f = cru_arena_alloc_zeroed(arena, 1, sizeof *f);
    f->arena = arena;
    f->environment = "";
    f->columns = cru_arena_alloc(arena, FRAME_COLUMNS, sizeof *f->columns);
    f->measures = cru_arena_alloc(arena, FRAME_MEASURES, sizeof *f->measures);
    loading l = {.f = f, .texts.arena = arena, .id = experiment};
    cru_status status = store_length(s, experiment, &f->count, err);
    f->outcomes = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->outcomes);
    f->tried = cru_arena_alloc_zeroed(arena, f->count, sizeof *f->tried);
    if (!status) status = store_each_experiment(s, load_name, &l, err);
    if (!status && !f->experiment) status = cru_fail(err, CRU_BAD_INPUT, "%s: no such experiment", store_path(s));
    if (!status) status = load_all(&l, s, err);
    if (status) {
        frame_destroy(f);
        return status;
    }
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
