// SPDX-License-Identifier: Apache-2.0
/* library.h: shared libraries that are loaded when they are needed.
 *
 * The program is not linked with what only one verb needs: libcurl or librsvg and the dozens of libraries below them
 * would double the time in which every other verb starts, and would have to be installed. */
#ifndef CORE_LIBRARY_H
#define CORE_LIBRARY_H

#include <stddef.h>

#include <crucible/status.h>

/* A function, and where its address goes in the table of the caller. */
typedef struct library_symbol {
    const char *name; /* NULL ends a list */
    size_t offset;
} library_symbol;

typedef struct library_wish {
    const char *file;    /* "libcurl.so.4" */
    const char *package; /* that brings it, in Debian */
    const char *purpose; /* what cannot be done without it, in the plural */
    const library_symbol *symbols;
} library_wish;

/* Loads the library for the rest of the process and fills the table. CRU_UNSUPPORTED: it is not installed, or too
 * old. */
cru_status library_load(const library_wish *wish, void *table, cru_error *err);

#endif
