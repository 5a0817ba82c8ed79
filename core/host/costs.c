// SPDX-License-Identifier: Apache-2.0
#include "host/costs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { UNKNOWN_SECONDS = 30 };

/* Finished trials of one method with these settings on one dataset; without settings with any, without a dataset on
 * all, without a method of all. */
typedef struct entry {
    char *method, *settings, *dataset;
    double seconds;
    int64_t count, peak;
} entry;

struct costs {
    entry *entries;
    int64_t count, space;
};

static bool same(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static entry *find(const costs *c, const char *method, const char *settings, const char *dataset)
{
    for (int64_t i = 0; i < c->count; i++) {
        entry *e = &c->entries[i];
        if (same(e->method, method) && same(e->dataset, dataset) && same(e->settings, settings)) return e;
    }
    return NULL;
}

static char *copied(const char *text)
{
    char *copy = text ? strdup(text) : NULL;
    if (text && !copy) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    return copy;
}

static entry *found(costs *c, const char *method, const char *settings, const char *dataset)
{
    entry *e = find(c, method, settings, dataset);
    if (e) return e;
    if (c->count == c->space) {
        c->space = c->space ? 2 * c->space : 64;
        c->entries = realloc(c->entries, (size_t)c->space * sizeof *c->entries);
        if (!c->entries) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    }
    c->entries[c->count] = (entry){.method = copied(method), .settings = copied(settings), .dataset = copied(dataset)};
    return &c->entries[c->count++];
}

static void add(entry *e, double seconds, int64_t peak)
{
    e->seconds += seconds;
    e->count++;
    if (peak > e->peak) e->peak = peak;
}

/* ---- reading a store ------------------------------------------------------------------------------------- */

/* The trials of one experiment, by their place in its list. */
typedef struct reader {
    struct {
        char *method, *settings, *dataset;
        double seconds;
        int64_t peak;
    } * trials;
    int64_t count;
} reader;

/* The method's settings in a trial's canonical text, as a variant has them: one line each, without "algorithm.". The
 * caller frees them. */
static char *settings_of(const char *canonical)
{
    static const char prefix[] = "algorithm.";
    const size_t length = strlen(prefix);
    char *text = calloc(strlen(canonical) + 1, 1), *end = text;
    if (!text) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    for (const char *line = canonical; *line;) {
        const size_t size = strcspn(line, "\n"), whole = size + (line[size] == '\n');
        if (strncmp(line, prefix, length) == 0) {
            memcpy(end, line + length, whole - length);
            end += whole - length;
        }
        line += whole;
    }
    return text;
}

static bool note_trial(void *user, const store_trial_view *view)
{
    reader *r = user;
    const bool over = view->outcome == STORE_OK && isfinite(view->seconds_total);
    r->trials[view->index].seconds = over ? view->seconds_total : NAN;
    r->trials[view->index].peak = view->peak_bytes;
    r->trials[view->index].settings = settings_of(store_view_text(view));
    return true;
}

static bool note_setting(void *user, int64_t index, const store_setting *setting)
{
    reader *r = user;
    if (strcmp(setting->name, "algorithm") == 0) r->trials[index].method = copied(setting->value);
    if (strcmp(setting->name, "dataset") == 0) r->trials[index].dataset = copied(setting->value);
    return true;
}

static void add_trials(costs *c, const reader *r)
{
    for (int64_t i = 0; i < r->count; i++) {
        const char *method = r->trials[i].method, *dataset = r->trials[i].dataset;
        if (isnan(r->trials[i].seconds) || !method || !dataset) continue;
        add(found(c, method, r->trials[i].settings, dataset), r->trials[i].seconds, r->trials[i].peak);
        add(found(c, method, NULL, dataset), r->trials[i].seconds, r->trials[i].peak);
        add(found(c, method, NULL, NULL), r->trials[i].seconds, r->trials[i].peak);
        add(found(c, NULL, NULL, NULL), r->trials[i].seconds, r->trials[i].peak);
    }
}

static cru_status read_experiment(costs *c, store *s, int64_t id, cru_error *err)
{
    reader r = {0};
    cru_status status = store_length(s, id, &r.count, err);
    if (status) return status;
    r.trials = calloc((size_t)r.count + 1, sizeof *r.trials);
    if (!r.trials) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    for (int64_t i = 0; i < r.count; i++) r.trials[i].seconds = NAN;
    status = store_each_trial(s, id, note_trial, &r, err);
    if (!status) status = store_each_setting(s, id, note_setting, &r, err);
    if (!status) add_trials(c, &r);
    for (int64_t i = 0; i < r.count; i++) {
        free(r.trials[i].method);
        free(r.trials[i].settings);
        free(r.trials[i].dataset);
    }
    free(r.trials);
    return status;
}

typedef struct id_list {
    int64_t *items, count;
} id_list;

static bool note_id(void *user, const store_experiment_view *view)
{
    id_list *list = user;
    list->items = realloc(list->items, (size_t)(list->count + 1) * sizeof *list->items);
    if (!list->items) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    list->items[list->count++] = view->id;
    return true;
}

static cru_status read_store(costs *c, store *s, cru_error *err)
{
    id_list ids = {0};
    cru_status status = store_each_experiment(s, note_id, &ids, err);
    for (int64_t i = 0; !status && i < ids.count; i++) status = read_experiment(c, s, ids.items[i], err);
    free(ids.items);
    return status;
}

cru_status costs_open(const char *path, costs **out, cru_error *err)
{
    costs *c = calloc(1, sizeof *c);
    store *s = NULL;
    if (!c) cru_panic(CRU_NO_MEMORY, "no memory for the costs of trials");
    *out = c;
    if (access(path, F_OK) != 0) return CRU_OK;
    cru_status status = store_open(path, &(store_options){.read_only = true}, &s, err);
    if (!status) status = read_store(c, s, err);
    store_close(s, NULL);
    if (!status) return CRU_OK;
    costs_close(c);
    *out = NULL;
    return status;
}

void costs_close(costs *c)
{
    if (!c) return;
    for (int64_t i = 0; i < c->count; i++) {
        free(c->entries[i].method);
        free(c->entries[i].settings);
        free(c->entries[i].dataset);
    }
    free(c->entries);
    free(c);
}

/* ---- asking ---------------------------------------------------------------------------------------------- */

/* Of any settings. */
static const entry *method_known(const costs *c, const trial *t)
{
    const entry *e = find(c, t->algorithm->name, NULL, t->dataset->label);
    if (!e) e = find(c, t->algorithm->name, NULL, NULL);
    return e ? e : find(c, NULL, NULL, NULL);
}

static const entry *best_known(const costs *c, const trial *t)
{
    const entry *e = find(c, t->algorithm->name, t->algorithm->text, t->dataset->label);
    return e ? e : method_known(c, t);
}

double costs_seconds(const costs *c, const experiment *e, const trial *t)
{
    const entry *known = c ? best_known(c, t) : NULL;
    double one = known && known->seconds > 0 ? known->seconds / (double)known->count : UNKNOWN_SECONDS;
    bool searched = e->search.method != SEARCH_NONE && t->algorithm->axis_count;
    return searched ? one * (double)search_trials(&e->search) : one;
}

int64_t costs_peak(const costs *c, const trial *t)
{
    const entry *known = c ? method_known(c, t) : NULL;
    return known && known->method ? known->peak : 0;
}

bool costs_know(const costs *c, const trial *t)
{
    return c && find(c, t->algorithm->name, NULL, NULL);
}
