// SPDX-License-Identifier: Apache-2.0
/* Where plugins are searched, and which files are there. */
#ifndef CORE_LOADER_FILES_H
#define CORE_LOADER_FILES_H

#include <stdbool.h>
#include <sys/stat.h>

#include <crucible/arena.h>

#include "base/sha256.h"

typedef struct plugin_file {
    const char *path;
    struct stat stat;
    char checksum[SHA256_HEX]; /* empty: nobody has read the file */
} plugin_file;

typedef struct plugin_files {
    plugin_file *items; /* in search order; malloc'ed, free with files_free */
    size_t count, capacity;
    int failed; /* memory ran out */
} plugin_files;

/* The regular files `files` (NULL-terminated or NULL; absolute), and every regular file *.so, or *.py in which
 * "crucible.method" stands, below the folders (NULL-terminated), folder by folder, names in ascending order. Hidden
 * names are passed over; a folder or file that is reached twice, through a link or a second folder of the list, counts
 * once. Paths live in `memory`. */
plugin_files files_find(char *const *folders, const char *const *files, cru_arena *memory);
void files_free(plugin_files *files);

#endif
