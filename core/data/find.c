// SPDX-License-Identifier: Apache-2.0
/* Cards by name, their files, and the list of all. */
#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "data/places.h"

static const char suffix[] = ".ini";

static bool is_card_file(const char *name)
{
    size_t length = strlen(name), tail = sizeof suffix - 1;
    return length > tail && strcmp(name + length - tail, suffix) == 0;
}

/* The path of the first card called `name`, to be freed; NULL when there is none. */
static char *card_path(const char *name, char **folders)
{
    for (size_t i = 0; folders[i]; i++) {
        char *path = places_format("%s/%s%s", folders[i], name, suffix);
        if (path && access(path, R_OK) == 0) return path;
        free(path);
    }
    return NULL;
}

static cru_status no_memory(cru_error *err)
{
    return cru_fail(err, CRU_NO_MEMORY, "no memory to look for datasets");
}

static cru_status find_by_name(const char *name, const data_places *places, card **out, cru_error *err)
{
    char **folders = places_cards(places);
    if (!folders) return no_memory(err);
    char *path = card_path(name, folders);
    places_free(folders);
    if (!path) return cru_fail(err, CRU_UNSUPPORTED, "there is no dataset card '%s'", name);
    cru_status status = card_read(path, out, err);
    if (!status && strcmp((*out)->name, name) != 0) {
        status = cru_fail(err, CRU_BAD_INPUT, "%s: the card's name is '%s'; the file must be called the same", path,
                          (*out)->name);
        card_destroy(*out);
        *out = NULL;
    }
    free(path);
    return status;
}

cru_status data_find(const char *name, const data_places *places, data_found *found, cru_error *err)
{
    *found = (data_found){0};
    bool is_path = strchr(name, '/') || is_card_file(name);
    cru_status status = is_path ? card_read(name, &found->card, err) : find_by_name(name, places, &found->card, err);
    if (!status) found->format = found->card->format;
    return status;
}

void data_found_clear(data_found *found)
{
    card_destroy(found->card);
    *found = (data_found){0};
}

/* ---- files ----------------------------------------------------------------------------------------------- */

/* Frees `path` unless a readable file is there. */
static char *keep_readable(char *path)
{
    if (path && access(path, R_OK) == 0) return path;
    free(path);
    return NULL;
}

/* <folder>/<dataset or the one it shares files with>/<file>; frees `folder`, which may be NULL. */
static char *in_folder(char *folder, const card *c, const char *file)
{
    char *path = folder ? places_format("%s/%s/%s", folder, c->folder, file) : NULL;
    free(folder);
    return keep_readable(path);
}

static char *locate_form(const card *c, const char *file, const data_places *places)
{
    if (*file == '/') return keep_readable(strdup(file));
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s", c->path);
    char *path = keep_readable(places_format("%s/%s", dirname(folder), file));
    if (!path) path = in_folder(places_mirror(places), c, file);
    if (!path) path = in_folder(places_files(places), c, file);
    return path;
}

char *data_locate(const card *c, const card_file *file, const data_places *places, const card_form **form)
{
    for (int i = 0; i < file->form_count; i++) {
        char *path = locate_form(c, file->forms[i].name, places);
        if (path && form) *form = &file->forms[i];
        if (path) return path;
    }
    return NULL;
}

static data_state card_state(const card *c, const data_places *places)
{
    data_state state = c->file_count > 0 ? DATA_PRESENT : DATA_GENERATED;
    for (int64_t i = 0; i < c->file_count; i++) {
        char *path = data_locate(c, &c->files[i], places, NULL);
        bool here = path != NULL;
        free(path);
        if (here) continue;
        if (c->terms) return DATA_NEEDS_TERMS;
        if (c->files[i].url_count == 0) return DATA_MISSING;
        state = DATA_FETCHABLE;
    }
    return state;
}

const char *data_state_name(data_state state)
{
    switch (state) {
    case DATA_PRESENT:
        return "present";
    case DATA_FETCHABLE:
        return "fetchable";
    case DATA_NEEDS_TERMS:
        return "needs terms";
    case DATA_MISSING:
        return "missing";
    case DATA_GENERATED:
        return "generated";
    case DATA_BROKEN:
        return "broken";
    }
    return "unknown";
}

/* ---- the list of all ------------------------------------------------------------------------------------- */

typedef struct names {
    char **items;
    size_t count;
} names;

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool add_name(names *all, const char *file)
{
    char **items = realloc(all->items, (all->count + 1) * sizeof *items);
    if (!items) return false;
    all->items = items;
    items[all->count] = strndup(file, strlen(file) - (sizeof suffix - 1));
    return items[all->count] && ++all->count;
}

static bool collect(names *all, const char *folder)
{
    DIR *dir = opendir(folder);
    if (!dir) return true; /* a folder that is not there holds no cards */
    bool ok = true;
    for (struct dirent *e; ok && (e = readdir(dir));)
        if (is_card_file(e->d_name)) ok = add_name(all, e->d_name);
    closedir(dir);
    return ok;
}

static void visit_one(const char *name, const data_places *places, data_visitor *visit, void *user)
{
    cru_error why = {0};
    card *c = NULL;
    if (find_by_name(name, places, &c, &why) == CRU_OK)
        visit(user, c, card_state(c, places), NULL);
    else
        visit(user, NULL, DATA_BROKEN, why.text);
    card_destroy(c);
}

cru_status data_visit(const data_places *places, data_visitor *visit, void *user, cru_error *err)
{
    names all = {0};
    char **folders = places_cards(places);
    bool ok = folders != NULL;
    for (size_t i = 0; ok && folders[i]; i++) ok = collect(&all, folders[i]);
    if (ok && all.count > 0) qsort(all.items, all.count, sizeof *all.items, by_name);
    for (size_t i = 0; i < all.count; i++) {
        bool again = i > 0 && strcmp(all.items[i], all.items[i - 1]) == 0;
        if (ok && !again) visit_one(all.items[i], places, visit, user);
    }
    for (size_t i = 0; i < all.count; i++) free(all.items[i]);
    free(all.items);
    places_free(folders);
    return ok ? CRU_OK : no_memory(err);
}
