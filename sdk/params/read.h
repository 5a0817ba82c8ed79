// SPDX-License-Identifier: Apache-2.0
/* One value from text into its field. */
#ifndef CRU_PARAMS_READ_H
#define CRU_PARAMS_READ_H

#include <crucible/arena.h>
#include <crucible/params.h>

typedef struct param_target {
    void *field;
    cru_arena *arena; /* for strings and lists */
} param_target;

/* Checks `text` against the parameter's type and range and stores it; the field is unchanged on failure. */
cru_status param_read(const cru_param *p, const char *text, const param_target *to, cru_error *err);

/* Stores the default. False when memory ran out or the table is one that cru_params_check rejects. */
bool param_default(const cru_param *p, void *field, cru_arena *arena);

#endif
