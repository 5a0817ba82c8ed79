// SPDX-License-Identifier: Apache-2.0
/* check.h: the conformance suite for plugin files, what `crucible check` runs.
 *
 * Every case runs in a process of its own, under limits, on a small generated problem: whatever the plugin does costs
 * one row. An algorithm must, on every kind of problem it claims: give finite scores of the right shape, the same bits
 * for the same seed with any number of threads, and other scores for another seed unless it uses no randomness; leave
 * its inputs, files and memory as they were; refuse what it does not claim with a reason; and survive the limits of its
 * own settings. Datasets, corruptors and metrics get smaller suites of the same sort: one seed, one result; settings at
 * their limits; files as they are, cut, changed and left out. A backend is only loaded. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include <sys/types.h>

#include <crucible/arena.h>
#include <crucible/plugin.h>

typedef enum check_state {
    CHECK_PASSED,
    CHECK_NOTED, /* neither right nor wrong; the detail says what a reader should know */
    CHECK_FAILED,
} check_state;

typedef struct check_row {
    check_state state;
    const char *name;   /* of the case: "nodes, isolated node" */
    const char *detail; /* what was seen; "" when there is nothing to say */
} check_row;

typedef struct check_report {
    check_row *rows;
    int64_t count, noted, failed;
    cru_arena *memory; /* behind all of the above */
} check_report;

enum { CHECK_FILES_MOST = 32 };

typedef struct check_input {
    const char *role; /* as in the [files] section of a card */
    const char *path; /* absolute */
} check_input;

typedef struct check_setting {
    const char *key, *value;
} check_setting;

typedef struct check_options {
    double seconds;           /* for one case; 0: 20 */
    double edge_seconds;      /* for one case at the limit of a setting, where slowness is no fault; 0: 3 */
    int64_t epochs;           /* what the monitor allows; 0: 3 */
    const check_input *files; /* for a dataset that reads files: some that it can read */
    int64_t file_count;
    const check_setting *settings; /* with which it reads them */
    int64_t setting_count;
    /* For a process that knows a language of its own (python/bridge.h): opens the file; NULL: plugin_load. And how
     * such a process forks; NULL: fork. */
    cru_status (*open)(const char *path, const cru_plugin **plugin, cru_error *err);
    pid_t (*fork)(void);
    const char *python;          /* the interpreter of a script; NULL: python3 */
    const char *const *readable; /* what a case may read besides, NULL-terminated; may be NULL */
} check_options;

/* Runs the suite that suits the kind of the plugin at `path`. A plugin that does not load is one failed row. The caller
 * frees the report, also after a failure. Fails only when the file is not there or the system gives no process.
 * `options` may be NULL. */
cru_status check_file(const char *path, const check_options *options, check_report *report, cru_error *err);
void check_report_free(check_report *report);

#endif
