// SPDX-License-Identifier: Apache-2.0
#include "report/table/summary.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPS_MOST = 16, KINDS = 5 };

/* Some columns of a table. */
typedef struct group {
    const char *name; /* "": all columns */
    bool *has;        /* one per column */
    int64_t count;
} group;

/* ---- groups ---------------------------------------------------------------------------------------------- */

static char *piece(cru_arena *arena, const char *text, size_t length)
{
    while (length > 0 && strchr(" \t", *text)) {
        text++;
        length--;
    }
    while (length > 0 && strchr(" \t", text[length - 1])) length--;
    char *copy = cru_arena_alloc(arena, (int64_t)length + 1, 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* A column belongs to a group that names one of its parts. False: no column does. */
static bool add_value(const table *t, const char *value, group *g)
{
    bool found = false;
    for (int64_t c = 0; c < t->col_count; c++) {
        bool named = strcmp(t->cols[c].label, value) == 0;
        for (int64_t k = 0; k < t->col_key_count && !named; k++) named = strcmp(t->cols[c].parts[k], value) == 0;
        g->count += named && !g->has[c];
        g->has[c] |= named;
        found |= named;
    }
    return found;
}

/* "name: value, value". In a request a value that no column has is a slip; a configuration may name columns that this
 * run of it does not have. */
static cru_status read_group(cru_arena *arena, const table *t, bool asked, char *text, group *g, cru_error *err)
{
    char *colon = strchr(text, ':');
    *g = (group){.has = cru_arena_alloc_zeroed(arena, t->col_count, sizeof *g->has)};
    if (colon) g->name = piece(arena, text, (size_t)(colon - text));
    if (!colon || !*g->name)
        return cru_fail(err, CRU_BAD_INPUT, "groups: '%.60s' is not of the form 'name: value, value'", text);
    for (const char *at = colon + 1; *at;) {
        size_t length = strcspn(at, ",");
        const char *value = piece(arena, at, length);
        if (!add_value(t, value, g) && asked)
            return cru_fail(err, CRU_BAD_INPUT, "groups: no column of '%s' is called '%s'", t->experiment, value);
        at += length + (at[length] == ',');
    }
    return CRU_OK;
}

/* Fills `list` with the group of all columns and those of the text; bars stand between them. */
static cru_status read_groups(cru_arena *arena, const table *t, const table_request *request, group *list,
                              int64_t *count, cru_error *err)
{
    const char *text = request->groups;
    group all = {
        .name = "", .has = cru_arena_alloc_zeroed(arena, t->col_count, sizeof *all.has), .count = t->col_count};
    for (int64_t c = 0; c < t->col_count; c++) all.has[c] = true;
    list[(*count)++] = all;
    while (text && *text) {
        size_t length = strcspn(text, "|");
        if (*count == GROUPS_MOST) return cru_fail(err, CRU_BAD_INPUT, "groups: more than %d", GROUPS_MOST - 1);
        cru_status status = read_group(arena, t, request->groups_asked, piece(arena, text, length), &list[*count], err);
        if (status) return status;
        *count += list[*count].count > 0;
        text += length + (text[length] == '|');
    }
    return CRU_OK;
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* The mean of a number of the cells of a row over a group. Ranks skip what is missing; averages over different columns
 * could not be compared, so they are there for all columns of the group or not at all. */
static double over_group(const table *t, int64_t row, const group *g, summary_kind kind)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < t->col_count; c++) {
        if (!g->has[c]) continue;
        const table_cell *cell = table_at(t, row, c);
        double gain = t->lower_is_better ? cell->against_mean - cell->mean : cell->mean - cell->against_mean;
        double value = kind == SUMMARY_RANK ? cell->rank : kind == SUMMARY_GAIN ? gain : cell->mean;
        if (kind == SUMMARY_RANK && isnan(value)) continue;
        sum += value;
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* Against the row behind the others; NAN without it, or where one of the two has no value. */
static double best_baseline(const table *t, int64_t row, int64_t col)
{
    return t->extra_rows && !isnan(table_at(t, row, col)->mean) ? table_at(t, t->row_count, col)->mean : NAN;
}

/* 100 (mean - best) / |best|, on average; positive is better. */
static double relative_gain(const table *t, int64_t row, const group *g)
{
    double sum = 0;
    int64_t n = 0;
    for (int64_t c = 0; c < t->col_count; c++) {
        double best = best_baseline(t, row, c);
        if (!g->has[c] || isnan(best) || best == 0) continue;
        double gain = table_at(t, row, c)->mean - best;
        sum += 100 * (t->lower_is_better ? -gain : gain) / fabs(best);
        n++;
    }
    return n ? sum / (double)n : NAN;
}

/* Equal is what is printed as equal. */
static void count_wins(const table *t, int64_t row, const group *g, int64_t tally[3])
{
    const double step = pow(10, t->digits) * t->scale;
    for (int64_t c = 0; c < t->col_count; c++) {
        double best = best_baseline(t, row, c);
        if (!g->has[c] || isnan(best)) continue;
        double gain = round(table_at(t, row, c)->mean * step) - round(best * step);
        if (t->lower_is_better) gain = -gain;
        tally[gain > 0 ? 0 : gain == 0 ? 1 : 2]++;
    }
}

static void add_column(cru_arena *arena, table *t, const group *g, summary_kind kind)
{
    static const char *const names[KINDS] = {"Ave.", "Imp.", "rank", "rel. %", "W/T/L"};
    table_summary *s = &t->summaries[t->summary_count++];
    size_t size = strlen(names[kind]) + strlen(g->name) + 2;
    char *label = cru_arena_alloc(arena, (int64_t)size, 1);
    snprintf(label, size, "%s%s%s", names[kind], *g->name ? " " : "", g->name);
    *s = (table_summary){.kind = kind,
                         .group = g->name,
                         .label = label,
                         .values = cru_arena_alloc(arena, table_lines(t), sizeof *s->values)};
    if (kind == SUMMARY_TALLY) s->tally = cru_arena_alloc_zeroed(arena, table_lines(t), sizeof *s->tally);
    for (int64_t r = 0; r < table_lines(t); r++) {
        const bool itself = r == t->row_count; /* the best baseline against itself says nothing */
        if (kind == SUMMARY_TALLY) count_wins(t, r, g, s->tally[r]);
        s->values[r] = kind == SUMMARY_TALLY      ? (double)s->tally[r][0]
                       : kind == SUMMARY_RELATIVE ? relative_gain(t, r, g)
                                                  : over_group(t, r, g, kind);
        if (itself && kind != SUMMARY_MEAN) s->values[r] = NAN;
    }
}

cru_status table_sum_up(cru_arena *arena, table *t, const table_request *request, cru_error *err)
{
    group groups[GROUPS_MOST];
    int64_t count = 0;
    cru_status status = read_groups(arena, t, request, groups, &count, err);
    if (status) return status;
    t->summaries = cru_arena_alloc(arena, count * KINDS, sizeof *t->summaries);
    t->summary_count = 0;
    for (int64_t i = 0; i < count; i++) {
        const group *g = &groups[i];
        if (request->average) add_column(arena, t, g, SUMMARY_MEAN);
        if (t->against) add_column(arena, t, g, SUMMARY_GAIN);
        if (t->col_count > 1 && !request->no_ranks) add_column(arena, t, g, SUMMARY_RANK);
        if (t->extra_rows) add_column(arena, t, g, SUMMARY_RELATIVE);
        if (t->extra_rows && g->count > 1) add_column(arena, t, g, SUMMARY_TALLY);
    }
    return CRU_OK;
}
