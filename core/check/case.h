// SPDX-License-Identifier: Apache-2.0
/* One case of the suite: a function in a child process that ends in one row of the report. */
#ifndef CORE_CHECK_CASE_H
#define CORE_CHECK_CASE_H

#include "check/check.h"
#include "registry/registry.h"
#include "worker/sandbox.h"

/* The suite under way, in the parent. */
typedef struct suite {
    const registry_entry *plugin;
    check_options options;
    check_report *report;
    char scratch[64];   /* an empty folder, the working directory of every case */
    char copies[80];    /* a folder that cases can read, for files that were spoilt */
    const sandbox *box; /* that every case is in; NULL: the kernel has none */
    int ruleset;        /* of Landlock; -1: none */
    cru_error *err;     /* set when the system failed; the suite then ends early */
} suite;

/* What a case has to say. */
typedef struct verdict {
    check_state state;
    char text[400];
} verdict;

/* Returns the state that it stored, so that a case can end with it. */
check_state verdict_set(verdict *v, check_state state, const char *format, ...) CRU_PRINTF(3, 4);

/* Runs in the child with the plugin loaded. `v` starts as passed. */
typedef void case_body(const void *user, const cru_plugin *plugin, verdict *v);

typedef struct check_case {
    const char *name;
    case_body *body;
    const void *user;
    bool edge;   /* at the limit of a setting: running out of time or memory is noted, not failed */
    bool images; /* the case itself writes memory files, so the process may write */
} check_case;

/* Runs the case and returns its verdict without a row, for cases that share one. */
verdict case_try(suite *s, const check_case *c);

/* Appends a row. */
void suite_add_row(suite *s, const char *name, const verdict *v);

/* Both. */
check_state case_run(suite *s, const check_case *c);

#endif
