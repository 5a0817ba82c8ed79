// SPDX-License-Identifier: Apache-2.0
/* names.h: numbers for texts: node ids and class names as files write them. */
#ifndef FORMATS_NAMES_H
#define FORMATS_NAMES_H

#include <crucible/plugin.h>

typedef struct name_ref {
    const char *text;
    int64_t place; /* where it came from; the caller's */
} name_ref;

/* Sorted names; the texts are borrowed. */
typedef struct names {
    name_ref *items;
    int64_t count;
} names;

/* Sorts `items`, whole numbers by value and then other texts, and keeps of equal ones the first place.
 * Takes over `items` (from malloc). */
names names_make(name_ref *items, int64_t count);

/* The index of `text`, -1 when it is not there. */
int64_t names_find(const names *n, const char *text);
void names_free(names *n);

#endif
