// SPDX-License-Identifier: Apache-2.0
/* diagnostics.h: everything that is wrong with a configuration, in one go.
 *
 * Checks do not stop at the first fault: each adds a line here and goes on, so that a user mends a file once. */
#ifndef CORE_CONFIG_DIAGNOSTICS_H
#define CORE_CONFIG_DIAGNOSTICS_H

#include <stdint.h>
#include <stdio.h>

#include <crucible/status.h>

/* Where a piece of configuration was written. `file` is a path, or "--set <text>" with line 0. Borrowed: it must live
 * as long as the diagnostics are added to, not longer. */
typedef struct config_place {
    const char *file;
    int32_t line;  /* from 1; 0: the whole of `file` */
    int32_t order; /* files count in the order in which they are read; --set comes last */
} config_place;

typedef struct diagnostic {
    char *text; /* "config.ini:12: hiden: unknown setting of algorithm gcn; did you mean hidden?" */
    int32_t order, line;
    int64_t serial; /* keeps faults of one line in the order in which they were found */
} diagnostic;

/* Zero it before use: `diagnostics diags = {0};` */
typedef struct diagnostics {
    diagnostic *items;
    int64_t count, capacity;
} diagnostics;

/* Adds "file:line: message". `subject`, when not NULL, is the offending text and is put before the message:
 * "file:line: subject: message". */
void diagnostics_add(diagnostics *d, const config_place *place, const char *subject, const char *format, ...)
    CRU_PRINTF(4, 5);

/* By file, then by line. config_load has done it. */
void diagnostics_sort(diagnostics *d);

/* One line each. */
void diagnostics_print(const diagnostics *d, FILE *out);

/* Frees the items; the struct is zeroed and may be used again. */
void diagnostics_clear(diagnostics *d);

#endif
