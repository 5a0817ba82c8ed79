// SPDX-License-Identifier: Apache-2.0
#include "loader/files.h"

#include <dirent.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/printable.h"
#include "config/strings.h"

enum { SCRIPT_BYTES = 1 << 18 }; /* where a script's declaration is looked for */

typedef struct inode {
    dev_t device;
    ino_t number;
} inode;

typedef struct walk {
    plugin_files files;
    cru_arena *memory;
    void *seen; /* tsearch tree of inodes, which live in `memory` */
} walk;

static int compare_inodes(const void *a, const void *b)
{
    const inode *x = a, *y = b;
    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

static void keep(void *node)
{
    (void)node;
}

/* True the first time it is asked about a file or folder: links may form circles. */
static bool is_new(walk *w, const struct stat *stat)
{
    inode *id = cru_arena_alloc(w->memory, 1, sizeof *id);
    *id = (inode){stat->st_dev, stat->st_ino};
    inode *const *found = tsearch(id, &w->seen, compare_inodes);
    if (!found) w->files.failed = 1;
    return found && *found == id;
}

static void add_file(walk *w, const char *path, const struct stat *stat)
{
    plugin_files *files = &w->files;
    if (files->count == files->capacity) {
        size_t capacity = files->capacity ? 2 * files->capacity : 64;
        plugin_file *items = realloc(files->items, capacity * sizeof *items);
        if (!items) {
            files->failed = 1;
            return;
        }
        files->items = items;
        files->capacity = capacity;
    }
    files->items[files->count++] = (plugin_file){.path = path, .stat = *stat};
}

static bool ends_with(const char *text, const char *end)
{
    size_t a = strlen(text), b = strlen(end);
    return a > b && strcmp(text + a - b, end) == 0;
}

/* A script that declares a method; others of its folder are parts of it. */
static bool is_method(const char *path)
{
    static const char mark[] = "crucible.method";
    char *text = ends_with(path, ".py") ? malloc(SCRIPT_BYTES) : NULL;
    FILE *file = text ? fopen(path, "re") : NULL;
    size_t size = file ? fread(text, 1, SCRIPT_BYTES, file) : 0;
    bool found = size && memmem(text, size, mark, sizeof mark - 1);
    if (file) fclose(file);
    free(text);
    return found;
}

/* No honest name steers a terminal. */
static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && printable_is(entry->d_name, strlen(entry->d_name), false);
}

static void walk_folder(walk *w, const char *folder)
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        struct stat stat_of;
        const char *path = string_format(w->memory, "%s/%s", folder, entries[i]->d_name);
        if (stat(path, &stat_of) == 0) {
            if (S_ISDIR(stat_of.st_mode)) {
                if (is_new(w, &stat_of)) walk_folder(w, path);
            } else if (S_ISREG(stat_of.st_mode) && (ends_with(path, ".so") || is_method(path)) && is_new(w, &stat_of)) {
                add_file(w, path, &stat_of);
            }
        }
        free(entries[i]);
    }
    if (count >= 0) free(entries);
}

plugin_files files_find(char *const *folders, const char *const *files, cru_arena *memory)
{
    walk w = {.memory = memory};
    for (; *folders; folders++) {
        struct stat stat_of;
        if (stat(*folders, &stat_of) == 0 && S_ISDIR(stat_of.st_mode) && is_new(&w, &stat_of))
            walk_folder(&w, *folders);
    }
    for (; files && *files; files++) {
        struct stat stat_of;
        if (stat(*files, &stat_of) == 0 && S_ISREG(stat_of.st_mode) && is_new(&w, &stat_of))
            add_file(&w, string_copy(memory, *files), &stat_of);
    }
    tdestroy(w.seen, keep);
    return w.files;
}

void files_free(plugin_files *files)
{
    free(files->items);
    *files = (plugin_files){0};
}
