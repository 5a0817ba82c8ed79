// SPDX-License-Identifier: Apache-2.0
/* values.h: lists, ranges and search distributions in the text of a value. */
#ifndef CORE_CONFIG_VALUES_H
#define CORE_CONFIG_VALUES_H

#include <crucible/arena.h>
#include <crucible/params.h>

typedef struct value_list {
    const char *const *items;
    int64_t count;
} value_list;

#define VALUES_MAX 100000 /* in one list */

/* Takes `text` apart at every `separator` outside double quotes. Items are trimmed; an item that is quoted as a whole
 * loses its quotes. CRU_BAD_INPUT: an empty text or item, an open quote. Items live in the arena. */
cru_status values_split(cru_arena *arena, const char *text, char separator, value_list *out, cru_error *err);

/* The values that `text` gives to a parameter of that type: separated by commas, with ranges counted out for numbers;
 * separated by bars for a parameter that is itself a list. CRU_BAD_INPUT: as above, and a range that is empty, not
 * finite or longer than VALUES_MAX. That a value suits the parameter is not checked here. */
cru_status values_expand(cru_arena *arena, const char *text, cru_param_type type, value_list *out, cru_error *err);

/* "search(log 1e-4 1e-1)" and the like, see config.h. */
typedef struct value_search {
    cru_search distribution; /* kind NONE: there is none */
    const char *initial;     /* "default VALUE" as it stands in the text, not yet checked; NULL: the schema's default */
    const char *name;        /* "as NAME", see search_axis; NULL: none */
} value_search;

bool values_is_search(const char *text);
cru_status values_search(cru_arena *arena, const char *text, const cru_param *param, value_search *out, cru_error *err);

/* A whole number, or a number, and nothing else. */
bool values_integer(const char *text, int64_t *out);
bool values_number(const char *text, double *out);

#endif
