// SPDX-License-Identifier: Apache-2.0
#include "report/table/minus.h"

#include <math.h>
#include <string.h>

#include "report/table/stats-compare.h"
#include "report/table/stats.h"

/* Columns or rows, and how many parts a head has. */
typedef struct axis_heads {
    const table_head *items;
    int64_t count, parts;
} axis_heads;

/* The part that has the name in some head; -1: none has. */
static int64_t find_part(const axis_heads *heads, const char *name)
{
    for (int64_t k = 0; k < heads->parts; k++)
        for (int64_t i = 0; i < heads->count; i++)
            if (strcmp(heads->items[i].parts[k], name) == 0) return k;
    return -1;
}

/* The head that has the name in that part and else the parts of head i, or none where what the name stands for has no such
 * setting (the rate of no damage); -1: there is none. */
static int64_t find_base(const axis_heads *heads, int64_t part, const char *name, int64_t i)
{
    for (int64_t b = 0; b < heads->count; b++) {
        bool same = strcmp(heads->items[b].parts[part], name) == 0;
        for (int64_t k = 0; same && k < heads->parts; k++)
            same = k == part || !*heads->items[b].parts[k] ||
                   strcmp(heads->items[b].parts[k], heads->items[i].parts[k]) == 0;
        if (same) return b;
    }
    return -1;
}

static void subtract(cru_arena *arena, table *t, table_cell *cell, const table_cell *base)
{
    const table_cell none = {.mark = TABLE_MISSING, .run_count = 0};
    if (!base) base = &none;
    double *gaps = cru_arena_alloc(arena, cell->run_count, sizeof *gaps);
    table_run *runs = cru_arena_alloc(arena, cell->run_count, sizeof *runs);
    int64_t n = cells_differences(cell, base, gaps, runs);
    for (int64_t i = 0; i < n; i++) runs[i].value = gaps[i];
    if (n == 0 && cell->mark == TABLE_VALUE) cell->mark = base->mark == TABLE_VALUE ? TABLE_UNDEFINED : base->mark;
    cell->runs = runs;
    cell->run_count = n;
    cell->mean = stats_mean(gaps, n);
    cell->spread = stats_spread(gaps, n, t->spread);
    cell->p = n < 2 ? NAN : t->overlap > 0 ? stats_corrected_t(gaps, n, t->overlap) : stats_wilcoxon(gaps, n);
    if (n > t->pairs[0]) t->pairs[0] = n;
}

/* Takes the columns, or rows, that were subtracted out of the table. */
static void leave_out(cru_arena *arena, table *t, const int64_t *base, bool of_columns)
{
    table_cell *cells = cru_arena_alloc(arena, t->row_count * t->col_count, sizeof *cells);
    int64_t rows = 0, cols = 0, kept = 0;
    for (int64_t r = 0; r < t->row_count; r++)
        for (int64_t c = 0; c < t->col_count; c++)
            if (base[of_columns ? c : r] != (of_columns ? c : r)) cells[kept++] = *table_at(t, r, c);
    for (int64_t c = 0; c < t->col_count; c++)
        if (!of_columns || base[c] != c) t->cols[cols++] = t->cols[c];
    for (int64_t r = 0; r < t->row_count; r++)
        if (of_columns || base[r] != r) t->rows[rows++] = t->rows[r];
    t->cells = cells;
    t->row_count = rows;
    t->col_count = cols;
}

static void correct(cru_arena *arena, table *t)
{
    double *p = cru_arena_alloc(arena, t->row_count, sizeof *p);
    for (int64_t c = 0; c < t->col_count; c++) {
        int64_t tests = 0;
        for (int64_t r = 0; r < t->row_count; r++) {
            p[r] = table_at(t, r, c)->p;
            tests += !isnan(p[r]);
        }
        stats_holm(p, t->row_count);
        for (int64_t r = 0; r < t->row_count; r++) table_at(t, r, c)->p = p[r];
        if (tests > t->pairs[1]) t->pairs[1] = tests;
        t->significance |= tests > 0;
    }
}

cru_status table_minus(cru_arena *arena, table *t, const char *name, cru_error *err)
{
    const axis_heads cols = {t->cols, t->col_count, t->col_key_count}, rows = {t->rows, t->row_count, t->row_key_count};
    const bool of_columns = find_part(&cols, name) >= 0;
    const axis_heads *heads = of_columns ? &cols : &rows;
    const int64_t part = find_part(heads, name);
    if (part < 0) return cru_fail(err, CRU_BAD_INPUT, "minus: the table has neither a column nor a row '%s'", name);
    int64_t *base = cru_arena_alloc(arena, heads->count, sizeof *base), left = 0;
    for (int64_t i = 0; i < heads->count; i++) {
        base[i] = find_base(heads, part, name, i);
        left += base[i] != i;
    }
    if (left == 0) return cru_fail(err, CRU_BAD_INPUT, "minus: the table has nothing but '%s'", name);
    const int64_t count = t->row_count * t->col_count;
    table_cell *before = cru_arena_alloc(arena, count, sizeof *before);
    memcpy(before, t->cells, (size_t)count * sizeof *before);
    for (int64_t i = 0; i < count; i++) {
        const int64_t row = i / t->col_count, col = i % t->col_count, from = base[of_columns ? col : row];
        const int64_t other = of_columns ? row * t->col_count + from : from * t->col_count + col;
        subtract(arena, t, &t->cells[i], from < 0 ? NULL : &before[other]);
    }
    leave_out(arena, t, base, of_columns);
    correct(arena, t);
    t->minus = name;
    return CRU_OK;
}
