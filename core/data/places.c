// SPDX-License-Identifier: Apache-2.0
#include "data/places.h"

#include <dirent.h>
#include <libgen.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *places_format(const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0) text = NULL;
    va_end(args);
    return text;
}

static bool given(const char *text)
{
    return text && *text;
}

/* Writes the folder of the running program; false when the system does not tell. */
static bool program_folder(char folder[PATH_MAX])
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length <= 0) return false;
    path[length] = 0;
    strcpy(folder, dirname(path));
    return true;
}

typedef struct folder_list {
    char **items;
    size_t count;
    bool failed;
} folder_list;

/* Takes over `folder`. */
static void push(folder_list *list, char *folder)
{
    char **items = folder ? realloc(list->items, (list->count + 2) * sizeof *items) : NULL;
    if (!items) {
        free(folder);
        list->failed = true;
        return;
    }
    items[list->count++] = folder;
    items[list->count] = NULL;
    list->items = items;
}

static void push_each(folder_list *list, const char *folders)
{
    while (given(folders)) {
        size_t length = strcspn(folders, ":");
        if (length > 0) push(list, strndup(folders, length));
        folders += length + (folders[length] == ':');
    }
}

static void push_shared(folder_list *list, const char *below)
{
    char program[PATH_MAX];
    bool known = program_folder(program);
    if (known) push(list, places_format("%s/../share/crucible/%s", program, below));
    push(list, places_format("%s/%s", CRU_INSTALLED_SHARE, below));
    size_t length = strlen(CRU_BINARY_DIR);
    if (known && strncmp(program, CRU_BINARY_DIR, length) == 0 && program[length] == '/')
        push(list, places_format("%s/%s", CRU_SOURCE_DIR, below));
}

static char **list_end(folder_list *list)
{
    if (!list->failed) return list->items;
    places_free(list->items);
    return NULL;
}

char **places_cards(const data_places *places)
{
    folder_list list = {0};
    if (places) push_each(&list, places->cards);
    push_shared(&list, "datasets/cards");
    return list_end(&list);
}

char **places_shared(const char *below)
{
    folder_list list = {0};
    push_shared(&list, below);
    return list_end(&list);
}

void places_free(char **folders)
{
    for (size_t i = 0; folders && folders[i]; i++) free(folders[i]);
    free(folders);
}

char *places_mirror(const data_places *places)
{
    const char *mirror = getenv("CRUCIBLE_MIRROR");
    if (!given(mirror) && places) mirror = places->mirror;
    return given(mirror) ? strdup(mirror) : NULL;
}

/* $`variable`/crucible/`name`, with ~/`fallback` for the variable. */
static char *home_folder(const char *variable, const char *fallback, const char *name)
{
    const char *base = getenv(variable), *home = getenv("HOME");
    if (given(base) && *base == '/') return places_format("%s/crucible/%s", base, name);
    return given(home) ? places_format("%s/%s/crucible/%s", home, fallback, name) : NULL;
}

char *places_files(const data_places *places)
{
    if (places && given(places->files)) return strdup(places->files);
    return home_folder("XDG_DATA_HOME", ".local/share", "datasets");
}

char *places_cache(const data_places *places)
{
    if (places && places->cache) return *places->cache ? strdup(places->cache) : NULL;
    return home_folder("XDG_CACHE_HOME", ".cache", "data");
}

/* NAME-CHECKSUM.img, its stamp, and both while they are written. */
static bool is_prepared(const char *name)
{
    enum { CHECKSUM = 32 };
    const char *end = strstr(name, ".img");
    if (!end || end - name <= CHECKSUM || strspn(end - CHECKSUM, "0123456789abcdef") != CHECKSUM) return false;
    end += strlen(".img");
    if (strncmp(end, ".stamp", 6) == 0) end += 6;
    return !*end || (*end == '.' && strlen(end) == strlen(".XXXXXX"));
}

cru_status places_check_cache(const data_places *places, cru_error *err)
{
    char *folder = places_cache(places);
    DIR *list = folder ? opendir(folder) : NULL;
    cru_status status = CRU_OK;
    for (const struct dirent *entry; !status && list && (entry = readdir(list));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && !is_prepared(entry->d_name))
            status =
                cru_fail(err, CRU_BAD_INPUT,
                         "%s is to hold prepared data, which plugins of datasets and metrics may change, and holds %s; "
                         "give [paths] cache a folder of its own",
                         folder, entry->d_name);
    if (list) closedir(list);
    free(folder);
    return status;
}

void places_make_folders(const char *path)
{
    char *copy = strdup(path);
    for (char *slash = copy ? strchr(copy + 1, '/') : NULL; slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        mkdir(copy, 0777);
        *slash = '/';
    }
    free(copy);
}
