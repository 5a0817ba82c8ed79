// SPDX-License-Identifier: Apache-2.0
#include "protocol/trial-settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *grow(void *array, int64_t *space, size_t size)
{
    *space = *space ? 2 * *space : 32;
    void *bigger = realloc(array, (size_t)*space * size);
    if (!bigger) cru_panic(CRU_NO_MEMORY, "no memory for the settings of a trial");
    return bigger;
}

static const char *own(trial_settings *list, char *text)
{
    if (!text) cru_panic(CRU_NO_MEMORY, "no memory for the settings of a trial");
    if (list->owned_count == list->owned_space)
        list->owned = grow(list->owned, &list->owned_space, sizeof *list->owned);
    return list->owned[list->owned_count++] = text;
}

static const char *joined(trial_settings *list, const char *kind, const char *key)
{
    char *text = NULL;
    return own(list, asprintf(&text, "%s.%s", kind, key) < 0 ? NULL : text);
}

static void put(trial_settings *list, const char *name, const char *value)
{
    if (list->count == list->space) list->items = grow(list->items, &list->space, sizeof *list->items);
    list->items[list->count++] = (store_setting){name, value};
}

static void put_given(trial_settings *list, const char *kind, const variant *v)
{
    for (int64_t i = 0; v && i < v->given_count; i++) put(list, joined(list, kind, v->given[i].key), v->given[i].text);
}

static const char *given(const variant *v, const char *key, const char *otherwise)
{
    for (int64_t i = 0; v && i < v->given_count; i++)
        if (strcmp(v->given[i].key, key) == 0) return v->given[i].text;
    return otherwise;
}

static bool has_key(const variant *v, const char *key)
{
    return given(v, key, NULL) != NULL;
}

/* A key that two corruptors share carries the corruptor's name instead of the kind's. */
static void put_chain(trial_settings *list, const trial *t)
{
    for (int32_t i = 0; i < t->chain_count; i++) {
        const variant *v = t->chain[i];
        for (int64_t k = 0; k < v->given_count; k++) {
            bool shared = false;
            for (int32_t other = 0; other < t->chain_count; other++)
                shared |= other != i && has_key(t->chain[other], v->given[k].key);
            put(list, joined(list, shared ? v->label : "corruptor", v->given[k].key), v->given[k].text);
        }
    }
}

/* Names must be unique in the store; the first one counts. */
static void drop_repeats(trial_settings *list)
{
    int64_t kept = 0;
    for (int64_t i = 0; i < list->count; i++) {
        bool repeat = false;
        for (int64_t k = 0; k < kept && !repeat; k++) repeat = strcmp(list->items[k].name, list->items[i].name) == 0;
        if (!repeat) list->items[kept++] = list->items[i];
    }
    list->count = kept;
}

void trial_settings_make(const trial *t, trial_settings *list)
{
    *list = (trial_settings){0};
    char *seed = NULL, *number = NULL;
    if (asprintf(&seed, "%llu", (unsigned long long)t->seed) < 0) seed = NULL;
    put(list, "algorithm", t->algorithm->name);
    put(list, "dataset", t->dataset->label);
    put(list, "corruptor", t->chain_label);
    put(list, "seed", own(list, seed));
    put(list, "split", t->split->plugin->name);
    put_given(list, "algorithm", t->algorithm);
    put_given(list, "dataset", t->dataset);
    put_chain(list, t);
    put_given(list, "preprocess", t->preprocess);
    put_given(list, "split", t->split);
    put_given(list, "monitor", t->monitor);
    if (t->drawn)
        put(list, "search.number", own(list, asprintf(&number, "%lld", (long long)t->drawn) < 0 ? NULL : number));
    drop_repeats(list);
}

void trial_settings_clear(trial_settings *list)
{
    for (int64_t i = 0; i < list->owned_count; i++) free(list->owned[i]);
    free(list->owned);
    free(list->items);
    *list = (trial_settings){0};
}
