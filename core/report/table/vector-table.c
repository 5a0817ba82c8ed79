// SPDX-License-Identifier: Apache-2.0
#include "report/table/vector-table.h"

#include <math.h>

#include "config/strings.h"

static table_head *number_heads(cru_arena *arena, int64_t count)
{
    table_head *heads = cru_arena_alloc(arena, count, sizeof *heads);
    for (int64_t i = 0; i < count; i++) {
        const char **parts = cru_arena_alloc(arena, 1, sizeof *parts);
        parts[0] = string_format(arena, "%lld", (long long)i);
        heads[i] = (table_head){.label = parts[0], .parts = parts, .number = (double)i};
    }
    return heads;
}

static const char **one_key(cru_arena *arena, const char *name)
{
    const char **keys = cru_arena_alloc(arena, 1, sizeof *keys);
    keys[0] = name;
    return keys;
}

table *table_of_vector(cru_arena *arena, const char *experiment, const plot_data *vector, int32_t digits)
{
    const int64_t cells = vector->rows * vector->cols;
    table *t = cru_arena_alloc_zeroed(arena, 1, sizeof *t);
    *t = (table){.experiment = experiment,
                 .metric = vector->path,
                 .caption = vector->path,
                 .scale = 1,
                 .digits = digits < 0 ? 4 : digits,
                 .row_count = vector->rows,
                 .col_count = vector->cols,
                 .row_key_count = 1,
                 .col_key_count = 1,
                 .row_keys = one_key(arena, ""),
                 .col_keys = one_key(arena, ""),
                 .rows = number_heads(arena, vector->rows),
                 .cols = number_heads(arena, vector->cols),
                 .full_runs = 1};
    t->cells = cru_arena_alloc_zeroed(arena, cells, sizeof *t->cells);
    t->average_ranks = cru_arena_alloc(arena, vector->rows, sizeof *t->average_ranks);
    for (int64_t r = 0; r < vector->rows; r++) t->average_ranks[r] = NAN;
    for (int64_t i = 0; i < cells; i++)
        t->cells[i] = (table_cell){.mark = TABLE_VALUE,
                                   .mean = (double)vector->values[i],
                                   .run_count = 1,
                                   .trials = 1,
                                   .spread = NAN,
                                   .rank = NAN,
                                   .p = NAN,
                                   .against_mean = NAN,
                                   .against_p = NAN};
    return t;
}
