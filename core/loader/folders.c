// SPDX-License-Identifier: Apache-2.0
/* The search path. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "loader/loader.h"

enum { FOLDERS_MAX = 256 };

typedef struct folder_list {
    char **items;
    size_t count;
} folder_list;

/* Appends the absolute form of `path`; relative ones count from the working directory. Folders beyond FOLDERS_MAX, and
 * any that there is no memory for, are left out. */
static void add(folder_list *list, const char *path)
{
    char here[PATH_MAX], *full = NULL;
    if (!*path || list->count == FOLDERS_MAX) return;
    char *resolved = realpath(path, NULL);
    if (resolved) {
        full = resolved;
    } else if (*path == '/') {
        full = strdup(path);
    } else if (!getcwd(here, sizeof here) || asprintf(&full, "%s/%s", here, path) < 0) {
        full = NULL;
    }
    if (!full) return;
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->items[i], full) != 0) continue;
        free(full);
        return;
    }
    list->items[list->count++] = full;
}

static void add_beside_program(folder_list *list)
{
    char program[PATH_MAX], folder[PATH_MAX + 64];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length <= 0) return;
    program[length] = 0;
    char *slash = strrchr(program, '/');
    if (!slash) return;
    *slash = 0;
    snprintf(folder, sizeof folder, "%s/%s/crucible/plugins", program, CRU_LIB_FROM_BIN);
    add(list, folder);
}

static void add_from_environment(folder_list *list)
{
    const char *path = getenv("CRUCIBLE_PLUGIN_PATH");
    char *copy = path ? strdup(path) : NULL, *rest = copy;
    for (char *folder; (folder = strsep(&rest, ":"));) add(list, folder);
    free(copy);
}

char **loader_folders(const loader_options *options)
{
    folder_list list = {.items = calloc(FOLDERS_MAX + 1, sizeof(char *))};
    if (!list.items) return NULL;
    if (!options || !options->no_default_folders) {
        add_beside_program(&list);
        add(&list, CRU_INSTALLED_PLUGINS);
        add_from_environment(&list);
    }
    for (const char *const *folder = options ? options->folders : NULL; folder && *folder; folder++)
        add(&list, *folder);
    return list.items;
}

void folders_free(char **folders)
{
    for (char **folder = folders; folder && *folder; folder++) free(*folder);
    free(folders);
}
