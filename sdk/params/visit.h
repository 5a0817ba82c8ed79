// SPDX-License-Identifier: Apache-2.0
/* Fields of a settings struct, as a table describes them. */
#ifndef CRU_PARAMS_VISIT_H
#define CRU_PARAMS_VISIT_H

#include <crucible/params.h>

enum { PARAMS_MAX_DEPTH = 8 };

/* sizeof the field's type; 0 for a type without one. */
size_t param_field_size(cru_param_type type);

/* The keys of a table, for messages. Returns how many were stored, at most `capacity`. */
size_t params_keys(const cru_param *table, const char **keys, size_t capacity);

/* "a, b, c" into `text`, ending in ", ..." when there is no room for all. */
void names_join(char *text, size_t size, const char *const *names, size_t count);

#endif
