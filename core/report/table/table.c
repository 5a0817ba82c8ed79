// SPDX-License-Identifier: Apache-2.0
/* table.c: from trials to cells. */
#include "report/table/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>
#include <crucible/stats.h>

#include "config/strings.h"
#include "report/table/against.h"
#include "report/table/keys.h"
#include "report/table/minus.h"
#include "report/table/section.h"
#include "report/table/stats-compare.h"
#include "report/table/summary.h"

/* ---- heads ----------------------------------------------------------------------------------------------- */

/* Names speak for themselves; other values are shown with their key, without the plugin's name before it. */
static const char *part_text(const frame *f, const frame_column *column, int64_t trial)
{
    if (column->ids[trial] < 0) return "";
    const char *value = column->levels[column->ids[trial]];
    static const char *const plain[] = {"alias", "algorithm", "dataset", "corruptor"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (strcmp(column->name, plain[i]) == 0) return value;
    }
    const char *dot = strrchr(column->name, '.'), *key = dot ? dot + 1 : column->name;
    size_t size = strlen(key) + strlen(value) + 2;
    char *text = cru_arena_alloc(f->arena, (int64_t)size, 1);
    snprintf(text, size, "%s=%s", key, value);
    return text;
}

static const char *join(const frame *f, const char **parts, int64_t count)
{
    size_t size = 8;
    for (int64_t i = 0; i < count; i++) size += strlen(parts[i]) + 1;
    char *text = cru_arena_alloc_zeroed(f->arena, (int64_t)size, 1);
    for (int64_t i = 0; i < count; i++) {
        if (parts[i][0] == '\0') continue;
        if (text[0]) strcat(text, " ");
        strcat(text, parts[i]);
    }
    return text[0] ? text : strcpy(text, "all");
}

static double last_number(const key_list *keys, int64_t trial)
{
    if (keys->count == 0) return NAN;
    const frame_column *column = keys->columns[keys->count - 1];
    if (column->ids[trial] < 0) return NAN;
    char *end;
    const char *text = column->levels[column->ids[trial]];
    double number = strtod(text, &end);
    return end != text && *end == '\0' ? number : NAN;
}

/* Without keys there is one head, which says `alone`. */
static table_head *make_heads(const frame *f, const grouping *groups, const key_list *keys, const char *alone)
{
    table_head *heads = cru_arena_alloc(f->arena, groups->count, sizeof *heads);
    const char **parts = cru_arena_alloc(f->arena, 1, sizeof *parts);
    parts[0] = alone;
    if (keys->count == 0 && groups->count == 1) {
        heads[0] = (table_head){.label = alone, .parts = parts, .number = NAN};
        return heads;
    }
    for (int32_t i = 0; i < groups->count; i++) {
        int64_t trial = groups->first[i];
        heads[i].parts = cru_arena_alloc(f->arena, keys->count, sizeof *heads[i].parts);
        for (int64_t k = 0; k < keys->count; k++) heads[i].parts[k] = part_text(f, keys->columns[k], trial);
        heads[i].label = join(f, heads[i].parts, keys->count);
        heads[i].number = last_number(keys, trial);
    }
    return heads;
}

static const char **key_names(const frame *f, const key_list *keys)
{
    const char **names = cru_arena_alloc(f->arena, keys->count + 1, sizeof *names);
    names[0] = "";
    for (int64_t i = 0; i < keys->count; i++) {
        bool alias = strcmp(keys->columns[i]->name, "alias") == 0;
        names[i] = alias ? "algorithm" : keys->columns[i]->name;
    }
    return names;
}

/* ---- cells ----------------------------------------------------------------------------------------------- */

static int by_pair(const void *a, const void *b)
{
    const table_run *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

static table_mark worse(table_mark mark, store_outcome outcome)
{
    static const table_mark marks[STORE_OUTCOMES] = {TABLE_MISSING, TABLE_UNDEFINED, TABLE_OOM,
                                                     TABLE_OOT,     TABLE_ERR,       TABLE_ERR};
    return marks[outcome] < mark ? marks[outcome] : mark;
}

/* Sorts trials into cells; a trial that ended well without a defined value counts as a trial, not as a run. */
static void fill_cells(const frame *f, const frame_measure *measure, const grouping groups[3], table *t)
{
    const grouping *rows = &groups[0], *cols = &groups[1], *pairs = &groups[2];
    for (int64_t i = 0; i < f->count; i++) table_at(t, rows->ids[i], cols->ids[i])->trials++;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        cell->mark = TABLE_MISSING;
        cell->runs = cru_arena_alloc(f->arena, cell->trials, sizeof *cell->runs);
    }
    for (int64_t i = 0; i < f->count; i++) {
        table_cell *cell = table_at(t, rows->ids[i], cols->ids[i]);
        if (f->outcomes[i] == STORE_OK && !isnan(measure->values[i]))
            cell->runs[cell->run_count++] = (table_run){pairs->ids[i], measure->values[i]};
        else
            cell->mark = worse(cell->mark, f->outcomes[i]);
    }
}

static void summarise(const frame *f, table *t)
{
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        qsort(cell->runs, (size_t)cell->run_count, sizeof *cell->runs, by_pair);
        double *values = cru_arena_alloc(f->arena, cell->run_count, sizeof *values);
        for (int64_t k = 0; k < cell->run_count; k++) values[k] = cell->runs[k].value;
        cell->mean = stats_mean(values, cell->run_count);
        cell->spread = stats_spread(values, cell->run_count, t->spread);
        cell->rank = cell->p = cell->against_mean = cell->against_p = NAN;
        if (cell->run_count > 0) cell->mark = TABLE_VALUE;
    }
}

/* The number of runs that most cells with a value have; of equally frequent ones the largest. */
static int64_t usual_runs(const table *t)
{
    int64_t best = 0, best_count = 0, cells = t->row_count * t->col_count;
    for (int64_t i = 0; i < cells; i++) {
        int64_t runs = t->cells[i].run_count, count = 0;
        if (runs == 0 || runs == best) continue;
        for (int64_t k = 0; k < cells; k++) count += t->cells[k].run_count == runs;
        if (count > best_count || (count == best_count && runs > best)) {
            best = runs;
            best_count = count;
        }
    }
    return best;
}

/* ---- comparison of rows ---------------------------------------------------------------------------------- */

/* Ranks, best and second of one column. */
static void rank_column(table *t, int64_t col, double *means, double *ranks)
{
    for (int64_t r = 0; r < t->row_count; r++) means[r] = table_at(t, r, col)->mean;
    stats_ranks(means, t->row_count, t->lower_is_better, ranks);
    double best = INFINITY, second = INFINITY;
    for (int64_t r = 0; r < t->row_count; r++) {
        if (ranks[r] < best) best = ranks[r];
    }
    for (int64_t r = 0; r < t->row_count; r++) {
        if (ranks[r] > best && ranks[r] < second) second = ranks[r];
    }
    for (int64_t r = 0; r < t->row_count; r++) {
        table_cell *cell = table_at(t, r, col);
        cell->rank = ranks[r];
        cell->place = ranks[r] == best ? 1 : ranks[r] == second ? 2 : 0;
    }
}

int64_t cells_differences(const table_cell *a, const table_cell *b, double *out, table_run *runs)
{
    int64_t n = 0;
    for (int64_t i = 0, k = 0; i < a->run_count && k < b->run_count;) {
        if (a->runs[i].pair == b->runs[k].pair) {
            if (runs) runs[n] = a->runs[i];
            out[n++] = a->runs[i++].value - b->runs[k++].value;
        } else if (a->runs[i].pair < b->runs[k].pair) {
            i++;
        } else {
            k++;
        }
    }
    return n;
}

double cells_welch(cru_arena *arena, const table_cell *a, const table_cell *b)
{
    const table_cell *cells[] = {a, b};
    cru_sample samples[2];
    for (int k = 0; k < 2; k++) {
        if (cells[k]->run_count < 2) return NAN;
        double *values = cru_arena_alloc(arena, cells[k]->run_count, sizeof *values);
        for (int64_t i = 0; i < cells[k]->run_count; i++) values[i] = cells[k]->runs[i].value;
        samples[k] = (cru_sample){values, cells[k]->run_count};
    }
    return cru_welch(samples[0], samples[1]).p;
}

/* Every row against the best of the column. */
static void test_column(const frame *f, table *t, int64_t col, double *p)
{
    const table_cell *best = NULL;
    for (int64_t r = 0; r < t->row_count && !best; r++) {
        if (table_at(t, r, col)->place == 1) best = table_at(t, r, col);
    }
    if (!best) return;
    double *gaps = cru_arena_alloc(f->arena, best->run_count, sizeof *gaps);
    int64_t compared = 0;
    for (int64_t r = 0; r < t->row_count; r++) {
        const table_cell *cell = table_at(t, r, col);
        int64_t n = cell == best ? 0 : cells_differences(best, cell, gaps, NULL);
        p[r] = n < 2 ? NAN : t->overlap > 0 ? stats_corrected_t(gaps, n, t->overlap) : stats_wilcoxon(gaps, n);
        compared += !isnan(p[r]);
        if (n > t->pairs[0]) t->pairs[0] = n;
        bool apart = cell != best && n == 0;
        if (apart) p[r] = cells_welch(f->arena, best, cell); /* no pair in common */
        t->unpaired |= apart && !isnan(p[r]);
    }
    stats_holm(p, t->row_count);
    if (compared > t->pairs[1]) t->pairs[1] = compared;
    for (int64_t r = 0; r < t->row_count; r++) {
        table_at(t, r, col)->p = p[r];
        t->significance |= !isnan(p[r]);
    }
}

static void test_columns(const frame *f, table *t)
{
    double *p = cru_arena_alloc(f->arena, t->row_count, sizeof *p);
    for (int64_t c = 0; c < t->col_count; c++) test_column(f, t, c, p);
}

void table_rank(cru_arena *arena, table *t)
{
    double *means = cru_arena_alloc(arena, t->row_count, sizeof *means);
    double *ranks = cru_arena_alloc(arena, t->row_count, sizeof *ranks);
    for (int64_t c = 0; c < t->col_count; c++) rank_column(t, c, means, ranks);
    t->average_ranks = cru_arena_alloc(arena, t->row_count, sizeof *t->average_ranks);
    for (int64_t r = 0; r < t->row_count; r++) {
        double sum = 0;
        int64_t n = 0;
        for (int64_t c = 0; c < t->col_count; c++) {
            double rank = table_at(t, r, c)->rank;
            if (isnan(rank)) continue;
            sum += rank;
            n++;
        }
        t->average_ranks[r] = n ? sum / (double)n : NAN;
    }
}

static void find_tried(const frame *f, int64_t tried[2])
{
    for (int64_t i = 0; i < f->count; i++) {
        if (f->tried[i] <= 0) continue;
        if (tried[0] == 0 || f->tried[i] < tried[0]) tried[0] = f->tried[i];
        if (f->tried[i] > tried[1]) tried[1] = f->tried[i];
    }
}

/* Two digits for percentages, else about four figures of the largest mean. */
static int32_t choose_digits(const table *t)
{
    if (t->scale == 100) return 2;
    double largest = 0;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        if (isfinite(t->cells[i].mean)) largest = fmax(largest, fabs(t->cells[i].mean));
    }
    return largest >= 1000 ? 0 : largest >= 100 ? 1 : largest >= 10 ? 2 : largest >= 1 ? 3 : 4;
}

/* With another experiment, which may have no such metric, and with rows of the table itself. */
static cru_status compare(frame *f, const frame_measure *measure, const table_request *request, table *t,
                          cru_error *err)
{
    const frame_measure *same = request->other ? frame_find_measure(request->other, measure->name) : NULL;
    table_request plain = *request;
    table *other;
    plain.other = NULL;
    plain.baselines = plain.groups = NULL;
    cru_status status = same ? table_make(request->other, same, &plain, &other, err) : CRU_OK;
    if (!status && same) table_against(f->arena, t, other);
    if (!status && request->baselines) status = table_below(f->arena, t, request->baselines, err);
    return status;
}

static bool any_positive(const frame *f, const frame_measure *m)
{
    for (int64_t i = 0; i < f->count; i++)
        if (m->values[i] > 0) return true;
    return false;
}

/* The judge notes as "NAME.new_split" when damage has dealt out the items to test on anew. */
static const char *find_new_splits(const frame *f)
{
    static const char end[] = ".new_split";
    const char *names = NULL;
    for (int64_t i = 0; i < f->measure_count; i++) {
        const frame_measure *m = &f->measures[i];
        const char *at = strstr(m->name, end);
        if (!at || at[strlen(end)] || !any_positive(f, m)) continue;
        names =
            string_format(f->arena, "%s%s%.*s", names ? names : "", names ? ", " : "", (int)(at - m->name), m->name);
    }
    return names;
}

cru_status table_make(frame *f, const frame_measure *measure, const table_request *request, table **out, cru_error *err)
{
    pivot_keys keys;
    cru_status status = pivot_keys_choose(f, request, &keys, err);
    if (status) return status;
    grouping groups[3] = {grouping_start(f), grouping_start(f),
                          request->minus ? pivot_pairs_across(f, &keys) : pivot_pairs(f, &keys)};
    for (int64_t i = 0; i < keys.rows.count; i++) grouping_split(&groups[0], f, keys.rows.columns[i]);
    for (int64_t i = 0; i < keys.cols.count; i++) grouping_split(&groups[1], f, keys.cols.columns[i]);
    table *t = cru_arena_alloc_zeroed(f->arena, 1, sizeof *t);
    *t = (table){.experiment = f->experiment,
                 .metric = measure->name,
                 .lower_is_better = measure->flags & CRU_METRIC_LOWER_IS_BETTER,
                 .scale = measure->flags & CRU_METRIC_PERCENT ? 100 : 1,
                 .spread = request->spread,
                 .alpha = request->alpha > 0 ? request->alpha : 0.05,
                 .overlap = request->overlap,
                 .row_count = groups[0].count,
                 .col_count = groups[1].count,
                 .row_key_count = keys.rows.count ? keys.rows.count : 1,
                 .col_key_count = keys.cols.count ? keys.cols.count : 1,
                 .row_keys = key_names(f, &keys.rows),
                 .col_keys = key_names(f, &keys.cols),
                 .rows = make_heads(f, &groups[0], &keys.rows, "all"),
                 .cols = make_heads(f, &groups[1], &keys.cols, measure->name)};
    t->cells = cru_arena_alloc_zeroed(f->arena, t->row_count * t->col_count, sizeof *t->cells);
    fill_cells(f, measure, groups, t);
    summarise(f, t);
    if (request->minus && (status = table_minus(f->arena, t, request->minus, err)) != CRU_OK) return status;
    table_rank(f->arena, t);
    if (!request->minus) test_columns(f, t);
    t->full_runs = usual_runs(t);
    find_tried(f, t->tried);
    t->by_test = section_selects_by_test(f->config, f->arena);
    t->new_splits = find_new_splits(f);
    t->digits = request->digits >= 0 ? request->digits : choose_digits(t);
    status = compare(f, measure, request, t, err);
    if (!status) status = table_sum_up(f->arena, t, request, err);
    *out = t;
    return status;
}

/* ---- sweeps ---------------------------------------------------------------------------------------------- */

static bool same_sweep(const table *t, int64_t a, int64_t b)
{
    for (int64_t k = 0; k + 1 < t->col_key_count; k++) {
        if (strcmp(t->cols[a].parts[k], t->cols[b].parts[k]) != 0) return false;
    }
    return true;
}

int64_t table_sweep(const table *t, int64_t first, int64_t *cols)
{
    int64_t count = 0;
    for (int64_t c = 0; c < t->col_count; c++) {
        if (isnan(t->cols[c].number) || !same_sweep(t, first, c)) continue;
        if (c < first) return 0;
        int64_t at = count++;
        for (; at > 0 && t->cols[cols[at - 1]].number > t->cols[c].number; at--) cols[at] = cols[at - 1];
        cols[at] = c;
    }
    return count;
}
