// SPDX-License-Identifier: Apache-2.0
/* loader.h: from folders to a registry, and from a file to a loaded plugin. */
#ifndef CORE_LOADER_H
#define CORE_LOADER_H

#include "process/nursery.h"
#include "registry/registry.h"

typedef struct loader_options {
    const char *const *folders; /* further folders ([paths] plugins), NULL-terminated; NULL for none */
    const char *const *files;   /* further plugin files, absolute, NULL-terminated; NULL for none */
    const char *python;         /* [paths] python: which interpreter describes scripts; NULL: python3 */
    bool no_default_folders;    /* search `folders` only */
    bool no_cache;              /* neither read nor write the cache */
    double hang_seconds;        /* how long one file may take to load; 0: 10 seconds */
    nursery *nursery;           /* a clean parent that knows scan_trade (scanner.h); NULL: one is made for this scan */
} loader_options;

/* What a scan did, for `crucible doctor` and tests. */
typedef struct loader_effort {
    int files, cached, children;
} loader_effort;

/* Finds every *.so below the plugin folders, in their order, and describes each in a new registry, which the caller
 * destroys. Files that the cache knows are not opened; all others are loaded, each in a sandboxed process of its own,
 * so that whatever they do becomes a `broken` reason. Only CRU_NO_MEMORY or an unusable system (no fork, no pipe)
 * fails; a folder that does not exist is no error. `options` and `effort` may be NULL. */
cru_status loader_scan(const loader_options *options, registry **found, loader_effort *effort, cru_error *err);

/* The folders of a scan in search order, NULL-terminated, each entry and the array to be freed (folders_free). */
char **loader_folders(const loader_options *options);
void folders_free(char **folders);

/* Loads one file into the calling process with libltdl (local scope, lazy binding) and validates it as the scan does:
 * ABI, sizes, names, vtable, schema. For judge and worker processes, never for the host itself. `kind` and `name` say
 * what is expected; 0 and NULL accept any. The plugin stays loaded until the process ends. CRU_BAD_INPUT: the file is
 * not a valid plugin, or not the one that was expected; the message is the reason without the path. */
cru_status plugin_open(const char *path, cru_kind kind, const char *name, const cru_plugin **plugin, cru_error *err);

/* The second half of it, for a plugin that was loaded in another way. */
cru_status plugin_accept(const cru_plugin *loaded, cru_kind kind, const char *name, cru_error *err);

/* In a host that is about to fork many such processes: starts libltdl once, for all of them. Loads nothing. */
void plugin_open_prepare(void);

#endif
