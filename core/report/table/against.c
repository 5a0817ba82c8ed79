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

/* A row behind the others with the best of the named rows in every column. */
static void add_best_row(cru_arena *arena, table *t, const bool *named)
{
    const int64_t cells = t->row_count * t->col_count;
    table_cell *grown = cru_arena_alloc(arena, cells + t->col_count, sizeof *grown);
    table_head *heads = cru_arena_alloc(arena, t->row_count + 1, sizeof *heads);
    const char **parts = cru_arena_alloc(arena, t->row_key_count, sizeof *parts);
    memcpy(grown, t->cells, (size_t)cells * sizeof *grown);
    memcpy(heads, t->rows, (size_t)t->row_count * sizeof *heads);
    for (int64_t k = 0; k < t->row_key_count; k++) parts[k] = k ? "" : "best baseline";
    heads[t->row_count] = (table_head){.label = "best baseline", .parts = parts, .number = NAN};
    t->cells = grown;
    t->rows = heads;
    t->extra_rows = 1;
    for (int64_t c = 0; c < t->col_count; c++) {
        const table_cell *best = NULL;
        for (int64_t r = 0; r < t->row_count; r++) {
            const table_cell *cell = table_at(t, r, c);
            double gain = !named[r] || isnan(cell->mean) ? NAN : best ? cell->mean - best->mean : 0;
            if (!isnan(gain) && (!best || (t->lower_is_better ? gain < 0 : gain > 0))) best = cell;
        }
        table_cell *last = table_at(t, t->row_count, c);
        *last = best ? *best : (table_cell){.mark = TABLE_MISSING, .mean = NAN, .spread = NAN};
        last->place = 0;
        last->rank = last->p = last->against_mean = last->against_p = NAN;
        last->below = TABLE_NOT_BELOW;
        last->has_reference = false;
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
    add_best_row(arena, t, named);
    return CRU_OK;
}
