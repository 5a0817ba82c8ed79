// SPDX-License-Identifier: Apache-2.0
#include "report/table/against.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static int64_t find_head(const table_head *heads, int64_t count, const char *label)
{
    for (int64_t i = 0; i < count; i++)
        if (strcmp(heads[i].label, label) == 0) return i;
    return -1;
}

void table_against(cru_arena *arena, table *t, const table *other)
{
    t->against = other->experiment;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        int64_t row = find_head(other->rows, other->row_count, t->rows[i / t->col_count].label);
        int64_t col = find_head(other->cols, other->col_count, t->cols[i % t->col_count].label);
        if (row < 0 || col < 0) continue;
        const table_cell *base = table_at(other, row, col);
        cell->against_mean = base->mean;
        cell->against_p = cells_welch(arena, cell, base);
    }
}

/* Marks the cells of a column by the best and the worst of the named rows that have a value there. */
static void mark_column(table *t, int64_t col, const bool *named)
{
    double sign = t->lower_is_better ? -1 : 1, best = -INFINITY, worst = INFINITY;
    for (int64_t r = 0; r < t->row_count; r++) {
        double value = sign * table_at(t, r, col)->mean;
        if (!named[r] || isnan(value)) continue;
        best = fmax(best, value);
        worst = fmin(worst, value);
    }
    for (int64_t r = 0; r < t->row_count && best > -INFINITY; r++) {
        table_cell *cell = table_at(t, r, col);
        double value = sign * cell->mean;
        if (!named[r])
            cell->below = value < worst ? TABLE_BELOW_ALL : value < best ? TABLE_BELOW_BEST : TABLE_NOT_BELOW;
    }
}

cru_status table_below(cru_arena *arena, table *t, const char *rows, cru_error *err)
{
    char name[200];
    bool *named = cru_arena_alloc_zeroed(arena, t->row_count, sizeof *named);
    while (*(rows += strspn(rows, ", "))) {
        size_t length = strcspn(rows, ",");
        snprintf(name, sizeof name, "%.*s", (int)length, rows);
        rows += length;
        for (size_t end = strlen(name); end > 0 && name[end - 1] == ' ';) name[--end] = '\0';
        int64_t row = find_head(t->rows, t->row_count, name);
        if (row < 0) return cru_fail(err, CRU_BAD_INPUT, "baselines: the table has no row '%s'", name);
        named[row] = true;
    }
    for (int64_t c = 0; c < t->col_count; c++) mark_column(t, c, named);
    return CRU_OK;
}
