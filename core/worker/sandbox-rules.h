// SPDX-License-Identifier: Apache-2.0
/* sandbox-rules.h: the Landlock half of the sandbox: which files a process may open.
 *
 * Rules hang on files, not on paths. What a plugin may open is found once (its own file, the libraries beside it, the
 * system's libraries) and kept as descriptors; a ruleset for one process is then a matter of microseconds, so that
 * every trial can have a scratch folder of its own. */
#ifndef CORE_RUNNER_SANDBOX_RULES_H
#define CORE_RUNNER_SANDBOX_RULES_H

#include <stdbool.h>

#include <crucible/status.h>

typedef struct sandbox_rules sandbox_rules;

typedef struct sandbox_files {
    /* Plugins, NULL-terminated or NULL. Each grants its own file and the libraries in its folder: regular files named
     * *.so or *.so.N that are ELF; links are not followed, for what a link names need not be a library. */
    const char *const *plugins;
    const char *const *others;   /* plugins that are in a folder with these and none of their libraries; may be NULL */
    const char *const *readable; /* files, or folders with all that is beneath; may be NULL */
    const char *const *writable; /* folders; may be NULL */
    const char *const *programs; /* files that may be executed, with the system's dynamic linker; may be NULL */
    /* Scripts, NULL-terminated or NULL. Each grants its own file and the regular files *.py of its folder and of the
     * folders beneath, SCRIPT_DEPTH deep, SCRIPT_FILES at most; links are not followed, hidden names and `others` are
     * left out. */
    const char *const *scripts;
    const char *const *modules; /* folders of which the same is granted; may be NULL */
    bool libraries;             /* the system's, and what runtimes ask of the processor */
    int landlock_most;          /* act as on a kernel with that version at most; 0: as it is; negative: as on one
                                    without Landlock; for tests */
} sandbox_files;

enum { SCRIPT_DEPTH = 3, SCRIPT_FILES = 256 };

/* What does not exist is left out. On a kernel without Landlock the rules are empty. */
cru_status rules_create(const sandbox_files *files, sandbox_rules **out, cru_error *err);
void rules_destroy(sandbox_rules *rules); /* NULL is fine */

/* A ruleset with these rules, and with write access to the folder `scratch` (-1: none). The caller closes it. -1 in
 * *ruleset without an error: the kernel has no Landlock. */
cru_status rules_make(const sandbox_rules *rules, int scratch, int *ruleset, cru_error *err);

/* The kernel's version; 0: none. */
int rules_version(void);

#endif
