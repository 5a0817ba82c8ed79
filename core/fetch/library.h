/* library.h: shared libraries that are loaded when they are needed.
 *
 * The program is not linked with what only `crucible fetch` needs: libcurl and the thirty libraries below it would
 * double the time in which every other verb starts. */
#ifndef CORE_FETCH_LIBRARY_H
#define CORE_FETCH_LIBRARY_H

#include <stddef.h>

#include <crucible/status.h>

/* A function, and where its address goes in the table of the caller. */
typedef struct library_symbol {
    const char *name; /* NULL ends a list */
    size_t offset;
} library_symbol;

/* Loads the library for the rest of the process and fills the table. CRU_UNSUPPORTED: it is not installed, or too
 * old. */
cru_status library_load(const char *file, const library_symbol *symbols, void *table, cru_error *err);

#endif
