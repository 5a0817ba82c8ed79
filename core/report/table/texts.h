// SPDX-License-Identifier: Apache-2.0
/* texts.h: equal texts get equal numbers. */
#ifndef CORE_REPORT_TEXTS_H
#define CORE_REPORT_TEXTS_H

#include <crucible/arena.h>

/* Starts zeroed but for the arena, which holds the copies and the tables. */
typedef struct texts {
    cru_arena *arena;
    const char **text; /* by number */
    int32_t count;
    int32_t *slots; /* number + 1; 0: free */
    int64_t size;   /* of both tables; a power of 2 */
} texts;

/* The number of a text, counted from 0 in the order of first use. */
int32_t texts_add(texts *t, const char *text);

/* The one copy of a text. */
const char *texts_copy(texts *t, const char *text);

#endif
