// SPDX-License-Identifier: Apache-2.0
/* gamer-table.h: the table of Twitch-gamers' nodes (SNAP) as features and classes. */
#ifndef FORMATS_GAMER_TABLE_H
#define FORMATS_GAMER_TABLE_H

#include <crucible/arena.h>
#include <crucible/plugin.h>

typedef struct gamer_table {
    int64_t rows, cols;
    float *features; /* rows x cols, standardised */
    int32_t *labels; /* 0 or 1 */
} gamer_table;

/* Arrays live in the arena. CRU_BAD_INPUT: "path:line: ...". */
cru_status gamer_table_read(const char *path, cru_arena *arena, gamer_table *out, cru_error *err);

#endif
