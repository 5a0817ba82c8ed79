// SPDX-License-Identifier: Apache-2.0
#include "judge/judge-files.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "data/places.h"
#include "data/resolve.h"
#include "worker/sandbox-rules.h"

/* Paths, NULL-terminated. */
typedef struct path_list {
    char **items;
    size_t count, space;
    bool failed;
} path_list;

typedef struct collection {
    const registry *plugins;
    const data_places *places;
    path_list readable;
    const variant *last; /* the dataset that was added last */
} collection;

/* Takes over `path`. */
static void push(path_list *list, char *path)
{
    if (list->count + 2 > list->space) {
        size_t space = list->space ? 2 * list->space : 64;
        char **bigger = realloc(list->items, space * sizeof *bigger);
        if (bigger) list->items = bigger;
        if (bigger) list->space = space;
        list->failed |= !bigger;
    }
    if (!path || list->failed) {
        list->failed = true;
        free(path);
        return;
    }
    list->items[list->count++] = path;
    list->items[list->count] = NULL;
}

static void list_free(path_list *list)
{
    for (size_t i = 0; i < list->count; i++) free(list->items[i]);
    free(list->items);
}

/* The files of a dataset and of the one that it builds on. What is wrong with it is told when it is opened. */
static void add_files(collection *c, const data_request *request, int depth)
{
    enum { DEEPEST = 8 };
    resolved r;
    if (depth > DEEPEST || data_resolve(request, &r, NULL) != CRU_OK) return;
    if (r.card) push(&c->readable, strdup(r.card->path));
    for (int64_t i = 0; r.card && i < r.card->file_count; i++) {
        char *path = data_locate(r.card, &r.card->files[i], c->places, NULL);
        if (path) push(&c->readable, path);
    }
    if (r.base) add_files(c, &(data_request){.name = r.base, .plugins = c->plugins, .places = c->places}, depth + 1);
    resolved_clear(&r);
}

/* Variants of one dataset have the same files, unless they build on others. */
static bool same_files(const variant *a, const variant *b)
{
    if (!a || strcmp(a->name, b->name) != 0) return false;
    for (int64_t i = 0; i < b->given_count; i++)
        if (strcmp(b->given[i].key, DATA_BASE) == 0) return false;
    return true;
}

static void add_dataset(void *user, const variant *v)
{
    collection *c = user;
    if (same_files(c->last, v)) return;
    c->last = v;
    add_files(c,
              &(data_request){.name = v->name,
                              .plugins = c->plugins,
                              .settings = v->given,
                              .setting_count = v->given_count,
                              .places = c->places},
              0);
}

/* The files of all working plugins; of those that judges load only, when asked. NULL-terminated. */
static const char **plugin_files(const registry *plugins, bool own)
{
    size_t count = registry_count(plugins), used = 0;
    const char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++) {
        const registry_entry *e = registry_at(plugins, i);
        bool other = e->kind == CRU_KIND_ALGORITHM || e->kind == CRU_KIND_BACKEND;
        if (!e->broken && !(own && other)) list[used++] = e->path;
    }
    return list;
}

/* It must be there to be granted. */
static char *cache_folder(const data_places *places)
{
    char *folder = places_cache(places);
    if (!folder) return NULL;
    places_make_folders(folder);
    mkdir(folder, 0777);
    return folder;
}

/* The ruleset of what was collected. */
static cru_status make_ruleset(collection *c, int landlock_most, int *ruleset, cru_error *err)
{
    const char **own = plugin_files(c->plugins, true), **all = plugin_files(c->plugins, false);
    char **cards = places_cards(c->places), *cache = cache_folder(c->places);
    for (size_t i = 0; cards && cards[i]; i++) push(&c->readable, strdup(cards[i]));
    const char *writable[] = {cache, NULL};
    sandbox_rules *rules = NULL;
    *ruleset = -1;
    cru_status status = own && all && cards && !c->readable.failed
                            ? rules_create(&(sandbox_files){.plugins = own,
                                                            .others = all,
                                                            .readable = (const char *const *)c->readable.items,
                                                            .writable = writable,
                                                            .libraries = true,
                                                            .landlock_most = landlock_most},
                                           &rules, err)
                            : cru_fail(err, CRU_NO_MEMORY, "no memory for the sandbox of the judge");
    if (!status) status = rules_make(rules, -1, ruleset, err);
    rules_destroy(rules);
    list_free(&c->readable);
    places_free(cards);
    free(cache);
    free(own);
    free(all);
    return status;
}

cru_status judge_files(const judge_setup *setup, const data_places *places, int *ruleset, cru_error *err)
{
    collection c = {.plugins = setup->plugins, .places = places};
    experiment_each_dataset(setup->experiment, add_dataset, &c);
    return make_ruleset(&c, setup->landlock_most, ruleset, err);
}

cru_status judge_lock_for(const data_request *request, cru_error *err)
{
    collection c = {.plugins = request->plugins, .places = request->places};
    int ruleset;
    sandbox *box = sandbox_prepare(SANDBOX_JUDGE);
    if (!box) return CRU_OK;
    add_files(&c, request, 0);
    cru_status status = make_ruleset(&c, 0, &ruleset, err);
    return status ? status : sandbox_enter(box, ruleset, err);
}
