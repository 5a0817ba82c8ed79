// SPDX-License-Identifier: Apache-2.0
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "config/strings.h"
#include "show/show.h"

/* ---- one experiment -------------------------------------------------------------------------------------- */

/* Text of a foreign process must not steer the terminal. */
static const char *clean_copy(cru_arena *arena, const char *text)
{
    char *copy = string_copy(arena, text);
    for (char *c = copy; *c; c++)
        if (iscntrl((unsigned char)*c) && *c != '\n' && *c != '\t') *c = '?';
    return copy;
}

static bool load_trial(void *user, const store_trial_view *view)
{
    shown *e = user;
    if (view->index >= e->count) return false;
    e->trials[view->index] = (shown_trial){.key = string_copy(e->arena, view->key),
                                           .alias = string_copy(e->arena, view->alias ? view->alias : ""),
                                           .message = view->message ? clean_copy(e->arena, view->message) : NULL,
                                           .outcome = view->outcome,
                                           .seconds_total = view->seconds_total,
                                           .seconds_construct = view->seconds_construct,
                                           .seconds_train = view->seconds_train,
                                           .peak_bytes = view->peak_bytes,
                                           .best_epoch = view->best_epoch,
                                           .tried = view->tried};
    return true;
}

/* Room for one more; lists double, and what they outgrow stays in the arena. */
static shown_pair *append(cru_arena *arena, shown_pair **list, int64_t *count)
{
    if ((*count & (*count - 1)) == 0) {
        shown_pair *grown = cru_arena_alloc(arena, *count ? 2 * *count : 1, sizeof *grown);
        if (*count) memcpy(grown, *list, (size_t)*count * sizeof *grown);
        *list = grown;
    }
    return &(*list)[(*count)++];
}

static bool load_setting(void *user, int64_t index, const store_setting *setting)
{
    shown *e = user;
    if (index >= e->count) return false;
    shown_trial *t = &e->trials[index];
    *append(e->arena, &t->settings, &t->setting_count) =
        (shown_pair){.name = string_copy(e->arena, setting->name), .text = string_copy(e->arena, setting->value)};
    return true;
}

static bool load_number(void *user, int64_t index, const store_number *number)
{
    shown *e = user;
    if (index >= e->count) return false;
    shown_trial *t = &e->trials[index];
    *append(e->arena, &t->numbers, &t->number_count) =
        (shown_pair){.name = string_copy(e->arena, number->name), .value = number->value};
    return true;
}

static bool take_metric(void *user, const store_metric *metric)
{
    shown *e = user;
    e->first_metric = string_copy(e->arena, metric->name);
    return false;
}

static bool take_name(void *user, const store_experiment_view *view)
{
    shown *e = user;
    if (view->id != e->id) return true;
    e->name = string_copy(e->arena, view->name);
    return false;
}

static cru_status load(store *s, shown *e, cru_error *err)
{
    cru_status status = store_length(s, e->id, &e->count, err);
    if (status) return status;
    e->trials = cru_arena_alloc_zeroed(e->arena, e->count, sizeof *e->trials);
    status = store_each_experiment(s, take_name, e, err);
    if (!status) status = store_each_metric(s, e->id, take_metric, e, err);
    if (!status) status = store_each_trial(s, e->id, load_trial, e, err);
    if (!status) status = store_each_setting(s, e->id, load_setting, e, err);
    return status ? status : store_each_number(s, e->id, load_number, e, err);
}

/* ---- by name --------------------------------------------------------------------------------------------- */

enum { KEY_LEAST = 4 };

typedef struct key_search {
    const char *beginning;
    size_t length;
    int64_t experiment, index;
    char key[160];
    bool several; /* keys begin like that */
} key_search;

typedef struct key_visit {
    key_search *search;
    int64_t experiment;
} key_visit;

static bool match_key(void *user, const store_trial_view *view)
{
    const key_visit *v = user;
    key_search *k = v->search;
    if (strncmp(view->key, k->beginning, k->length) != 0) return true;
    k->several |= *k->key && strcmp(k->key, view->key) != 0;
    if (!*k->key) {
        k->experiment = v->experiment;
        k->index = view->index;
        snprintf(k->key, sizeof k->key, "%s", view->key);
    }
    return true;
}

typedef struct id_list {
    int64_t ids[4096];
    int64_t count;
} id_list;

static bool take_id(void *user, const store_experiment_view *view)
{
    id_list *list = user;
    if (list->count == (int64_t)(sizeof list->ids / sizeof *list->ids)) return false;
    list->ids[list->count++] = view->id;
    return true;
}

static cru_status find_key(store *s, key_search *k, cru_error *err)
{
    id_list list = {.count = 0};
    cru_status status = store_each_experiment(s, take_id, &list, err);
    for (int64_t i = 0; !status && i < list.count; i++)
        status = store_each_trial(s, list.ids[i], match_key, &(key_visit){k, list.ids[i]}, err);
    return status;
}

/* EXPERIMENT:NUMBER; false when it has no such form. */
static bool split_number(cru_arena *arena, const char *name, const char **experiment, int64_t *number)
{
    const char *colon = strrchr(name, ':');
    char *end;
    if (!colon || !isdigit((unsigned char)colon[1])) return false;
    *number = strtoll(colon + 1, &end, 10);
    *experiment = string_copy_bytes(arena, name, (size_t)(colon - name));
    return !*end;
}

static cru_status find(store *s, const char *name, shown *e, cru_error *err)
{
    const char *experiment;
    e->chosen = -1;
    cru_status status = store_find_experiment(s, name, &e->id, err);
    if (status || e->id) return status;
    if (split_number(e->arena, name, &experiment, &e->chosen)) {
        status = store_find_experiment(s, experiment, &e->id, err);
        if (status || e->id) return status;
    }
    key_search k = {.beginning = name, .length = strlen(name)};
    if (k.length >= KEY_LEAST) status = find_key(s, &k, err);
    if (status) return status;
    if (k.several) return cru_fail(err, CRU_BAD_INPUT, "%s: several trials have a key that begins like that", name);
    if (!*k.key) {
        char names[300];
        status = store_names(s, names, sizeof names, err);
        return status ? status
                      : cru_fail(err, CRU_BAD_INPUT, "%s: holds no experiment and no trial '%s'; there %s",
                                 store_path(s), name, names);
    }
    e->id = k.experiment;
    e->chosen = k.index;
    return CRU_OK;
}

cru_status show_load(store *s, const char *name, shown **out, cru_error *err)
{
    *out = NULL;
    cru_arena *arena = cru_arena_create();
    if (!arena) return cru_fail(err, CRU_NO_MEMORY, "%s: out of memory", store_path(s));
    shown *e = cru_arena_alloc_zeroed(arena, 1, sizeof *e);
    e->arena = arena;
    cru_status status = find(s, name, e, err);
    if (!status) status = load(s, e, err);
    if (!status && e->chosen >= e->count)
        status = cru_fail(err, CRU_BAD_INPUT, "%s: %s has %lld trials, from 0 on", name, e->name, (long long)e->count);
    if (status) {
        show_free(e);
        return status;
    }
    *out = e;
    return CRU_OK;
}

void show_free(shown *e)
{
    if (e) cru_arena_destroy(e->arena);
}

/* ---- titles ---------------------------------------------------------------------------------------------- */

static const char *setting_of(const shown_trial *t, const char *name)
{
    for (int64_t i = 0; i < t->setting_count; i++)
        if (strcmp(t->settings[i].name, name) == 0) return t->settings[i].text;
    return "";
}

static bool varies(const shown *e, const char *name)
{
    for (int64_t i = 1; i < e->count; i++)
        if (strcmp(setting_of(&e->trials[i], name), setting_of(&e->trials[0], name)) != 0) return true;
    return false;
}

/* The settings of other methods are missing here and do not count as different. */
const char *show_title(const shown *e, int64_t index)
{
    const shown_trial *t = &e->trials[index];
    const char *title = t->alias;
    for (int64_t i = 0; i < t->setting_count; i++) {
        const shown_pair *p = &t->settings[i];
        if (strcmp(p->name, "algorithm") != 0 && varies(e, p->name))
            title = string_format(e->arena, "%s %s=%s", title, p->name, p->text);
    }
    return title;
}
