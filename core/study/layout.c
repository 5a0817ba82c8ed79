// SPDX-License-Identifier: Apache-2.0
#include "study/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "config/strings.h"
#include "report/table/against.h"
#include "report/table/keys.h"
#include "report/table/stats.h"
#include "report/table/summary.h"
#include "study/curves.h"

enum { KEYS_MOST = 16, COMBINATIONS_MOST = 10000000 };

bool layout_same(const char *a, const char *b)
{
    double x, y;
    if (strcmp(a, b) == 0) return true;
    return values_number(a, &x) && values_number(b, &y) && x == y;
}

const artefact_match *layout_match(const artefact_file *a, const char *column)
{
    for (int64_t i = 0; i < a->match_count; i++)
        if (strcmp(a->matches[i].column, column) == 0) return &a->matches[i];
    return NULL;
}

static const char *translate(const artefact_match *m, const char *ours)
{
    for (int64_t i = 0; m && i < m->pair_count; i++)
        if (layout_same(m->pairs[2 * i], ours)) return m->pairs[2 * i + 1];
    return ours;
}

const char *layout_published_value(const artefact_file *a, const char *column, const char *ours)
{
    return translate(layout_match(a, column), ours);
}

/* ---- where it goes wrong --------------------------------------------------------------------------------- */

CRU_PRINTF(4, 5)
static cru_status fault(const artefact_file *a, const char *key, cru_error *err, const char *format, ...)
{
    config_place place = artefact_place(a, key);
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s: %s", place.file, place.line, key, text);
}

/* ---- keys ------------------------------------------------------------------------------------------------ */

/* A key while the table is made. */
typedef struct axis_key {
    layout_key key;
    int64_t column; /* of the CSV */
    const artefact_match *match;
} axis_key;

typedef struct axis {
    axis_key keys[KEYS_MOST];
    int64_t count, combinations;
    int32_t *index; /* of a combination of values; -1: there is no such row (or column) */
    const int32_t **values;
    int64_t size;
} axis;

typedef struct making {
    const layout_request *request;
    const artefact_file *a;
    const published *print;
    cru_arena *arena;
    axis rows, cols;
    axis_key fixed[KEYS_MOST];
    int64_t fixed_count;
    int32_t *cell_metric; /* of every cell, where the metric is neither in rows nor in columns */
    layout *out;
} making;

static int32_t find_value(const layout_key *key, const char *value)
{
    for (int64_t i = 0; i < key->value_count; i++)
        if (layout_same(key->values[i], value)) return (int32_t)i;
    return -1;
}

/* The distinct values of a column: first those of `order`, then as the lines show them. */
static void collect_values(making *m, axis_key *k)
{
    const published *p = m->print;
    value_list order = {0};
    if (*m->a->settings.order) values_split(m->arena, m->a->settings.order, ',', &order, NULL);
    const char **values = cru_arena_alloc(m->arena, p->count + order.count, sizeof *values);
    k->key.values = values;
    for (int64_t i = 0; i < order.count; i++)
        for (int64_t n = 0; n < p->count && find_value(&k->key, order.items[i]) < 0; n++)
            if (layout_same(p->lines[n].fields[k->column], order.items[i]))
                values[k->key.value_count++] = order.items[i];
    for (int64_t n = 0; n < p->count; n++) {
        const char *value = p->lines[n].fields[k->column];
        if (find_value(&k->key, value) < 0) values[k->key.value_count++] = value;
    }
}

static cru_status read_axis(making *m, const char *name, const char *text, axis *x, cru_error *err)
{
    value_list list;
    cru_error why = {0};
    if (values_split(m->arena, text, ',', &list, &why) != CRU_OK) return fault(m->a, name, err, "%s", why.text);
    if (list.count > KEYS_MOST) return fault(m->a, name, err, "more than %d keys", KEYS_MOST);
    x->combinations = 1;
    for (int64_t i = 0; i < list.count; i++) {
        axis_key *k = &x->keys[x->count++];
        *k = (axis_key){.key.name = list.items[i],
                        .column = published_column(m->print, list.items[i]),
                        .match = layout_match(m->a, list.items[i])};
        if (k->column < 0) {
            const char *near = cru_nearest(list.items[i], m->print->columns, (size_t)m->print->column_count);
            return fault(m->a, name, err, "%s has no column '%s'%s%s%s", m->print->path, list.items[i],
                         near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
        }
        collect_values(m, k);
        x->combinations *= k->key.value_count;
        if (x->combinations > COMBINATIONS_MOST) return fault(m->a, name, err, "too many combinations");
    }
    return CRU_OK;
}

static bool on_axis(const axis *x, int64_t column)
{
    for (int64_t i = 0; i < x->count; i++)
        if (x->keys[i].column == column) return true;
    return false;
}

static bool is_metric(const axis_key *k)
{
    return k->match && strcmp(k->match->key, "metric") == 0;
}

/* What is neither row nor column must be the same in all lines, but for the metric, which may differ by dataset. */
static cru_status read_fixed(making *m, cru_error *err)
{
    static const char *const values[] = {"table", "mean", "value", "std", "mark"};
    for (int64_t c = 0; c < m->print->column_count; c++) {
        const char *name = m->print->columns[c];
        bool value = on_axis(&m->rows, c) || on_axis(&m->cols, c);
        for (size_t i = 0; i < sizeof values / sizeof *values; i++) value |= strcmp(name, values[i]) == 0;
        if (value || m->fixed_count == KEYS_MOST) continue;
        axis_key *k = &m->fixed[m->fixed_count++];
        *k = (axis_key){.key.name = name, .column = c, .match = layout_match(m->a, name)};
        collect_values(m, k);
        if (is_metric(k)) continue;
        if (k->key.value_count > 1)
            return fault(m->a, "where", err,
                         "'%s' takes several values (%s, %s); name it in rows or cols, or choose one", name,
                         k->key.values[0], k->key.values[1]);
    }
    return CRU_OK;
}

/* ---- heads ----------------------------------------------------------------------------------------------- */

/* The number of a line's combination. */
static int64_t combination(const axis *x, const published_line *line, int32_t *values)
{
    int64_t number = 0;
    for (int64_t i = 0; i < x->count; i++) {
        values[i] = find_value(&x->keys[i].key, line->fields[x->keys[i].column]);
        number = number * x->keys[i].key.value_count + values[i];
    }
    return number;
}

static int by_combination(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Rows are ordered by their keys' values, the first key slowest. */
static void number_axis(making *m, axis *x)
{
    int64_t *found = cru_arena_alloc(m->arena, m->print->count, sizeof *found), count = 0;
    x->index = cru_arena_alloc(m->arena, x->combinations, sizeof *x->index);
    for (int64_t i = 0; i < x->combinations; i++) x->index[i] = -1;
    for (int64_t n = 0; n < m->print->count; n++) {
        int32_t values[KEYS_MOST];
        int64_t number = combination(x, &m->print->lines[n], values);
        if (x->index[number] >= 0) continue;
        x->index[number] = 0;
        found[count++] = number;
    }
    if (count > 1) qsort(found, (size_t)count, sizeof *found, by_combination);
    x->size = count;
    x->values = cru_arena_alloc(m->arena, count, sizeof *x->values);
    for (int64_t i = 0; i < count; i++) {
        int32_t *values = cru_arena_alloc(m->arena, x->count, sizeof *values);
        x->index[found[i]] = (int32_t)i;
        for (int64_t k = x->count - 1, rest = found[i]; k >= 0; k--) {
            values[k] = (int32_t)(rest % x->keys[k].key.value_count);
            rest /= x->keys[k].key.value_count;
        }
        x->values[i] = values;
    }
}

/* "value: text | value: text": the text for a value, or NULL. */
static const char *look_up(making *m, const char *table_text, const char *value, bool members)
{
    for (const char *at = table_text; *at;) {
        size_t length = strcspn(at, "|");
        char *piece = string_copy_bytes(m->arena, at, length), *colon = strchr(piece, ':'), *cursor = NULL;
        at += length + (at[length] == '|');
        if (!colon) continue;
        *colon = '\0';
        char *left = piece + strspn(piece, " \t"), *right = colon + 1 + strspn(colon + 1, " \t");
        for (size_t n = strlen(left); n > 0 && strchr(" \t", left[n - 1]); n--) left[n - 1] = '\0';
        for (size_t n = strlen(right); n > 0 && strchr(" \t", right[n - 1]); n--) right[n - 1] = '\0';
        if (!members && strcmp(left, value) == 0) return right;
        for (char *word = members ? strtok_r(right, ", \t", &cursor) : NULL; word;
             word = strtok_r(NULL, ", \t", &cursor))
            if (strcmp(word, value) == 0) return left;
    }
    return NULL;
}

static const char *shown(making *m, const char *value)
{
    const char *label = look_up(m, m->a->settings.labels, value, false);
    return label ? label : value;
}

static table_head make_head(making *m, const axis *x, const int32_t *values)
{
    const char **parts = cru_arena_alloc(m->arena, x->count + 1, sizeof *parts);
    const char *label = "", *group = NULL;
    for (int64_t k = 0; k < x->count; k++) {
        const char *value = x->keys[k].key.values[values[k]];
        parts[k] = shown(m, value);
        if (*parts[k]) label = string_format(m->arena, "%s%s%s", label, *label ? " " : "", parts[k]);
        const char *named = look_up(m, m->a->settings.groups, value, true);
        if (named) group = named;
    }
    double number;
    const char *last = x->keys[x->count - 1].key.values[values[x->count - 1]];
    return (table_head){
        .label = label, .parts = parts, .number = values_number(last, &number) ? number : NAN, .group = group};
}

/* Headings are compared by their address. */
static void share_groups(table_head *heads, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        for (int64_t k = 0; heads[i].group && k < i; k++)
            if (heads[k].group && strcmp(heads[k].group, heads[i].group) == 0) heads[i].group = heads[k].group;
}

/* Below a heading stands what belongs to it. */
static void name_the_rest(table_head *heads, int64_t count)
{
    static const char other[] = "Other";
    for (int64_t i = 1; i < count; i++)
        if (!heads[i].group && heads[i - 1].group) heads[i].group = other;
}

static void make_heads(making *m)
{
    table *t = m->out->t;
    const axis *both[] = {&m->rows, &m->cols};
    table_head **heads[] = {&t->rows, &t->cols};
    const char ***names[] = {&t->row_keys, &t->col_keys};
    for (int k = 0; k < 2; k++) {
        *heads[k] = cru_arena_alloc(m->arena, both[k]->size, sizeof **heads[k]);
        for (int64_t i = 0; i < both[k]->size; i++) (*heads[k])[i] = make_head(m, both[k], both[k]->values[i]);
        share_groups(*heads[k], both[k]->size);
        if (k == 0) name_the_rest(*heads[k], both[k]->size);
        *names[k] = cru_arena_alloc(m->arena, both[k]->count, sizeof **names[k]);
        for (int64_t i = 0; i < both[k]->count; i++) (*names[k])[i] = both[k]->keys[i].key.name;
    }
}

/* A heading above columns is a line of its own in their heads. */
static void lift_groups(making *m)
{
    table *t = m->out->t;
    bool any = false;
    for (int64_t c = 0; c < t->col_count; c++) any |= t->cols[c].group != NULL;
    if (!any) return;
    for (int64_t c = 0; c < t->col_count; c++) {
        const char **parts = cru_arena_alloc(m->arena, t->col_key_count + 1, sizeof *parts);
        parts[0] = t->cols[c].group ? t->cols[c].group : "";
        memcpy(parts + 1, t->cols[c].parts, (size_t)t->col_key_count * sizeof *parts);
        t->cols[c].parts = parts;
    }
    const char **names = cru_arena_alloc(m->arena, t->col_key_count + 1, sizeof *names);
    names[0] = "group";
    memcpy(names + 1, t->col_keys, (size_t)t->col_key_count * sizeof *names);
    t->col_keys = names;
    t->col_key_count++;
}

/* ---- what was printed ------------------------------------------------------------------------------------ */

static int32_t decimals(const published *p)
{
    size_t most = 0;
    for (int64_t n = 0; n < p->count; n++) {
        const char *dot = strchr(p->lines[n].fields[p->mean], '.');
        if (dot && strlen(dot + 1) > most) most = strlen(dot + 1);
    }
    return most > 6 ? 6 : (int32_t)most;
}

static cru_status put_print(making *m, cru_error *err)
{
    table *t = m->out->t;
    int64_t *lines = cru_arena_alloc_zeroed(m->arena, t->row_count * t->col_count, sizeof *lines);
    for (int64_t i = 0; i < m->fixed_count; i++)
        if (is_metric(&m->fixed[i]))
            m->cell_metric = cru_arena_alloc_zeroed(m->arena, t->row_count * t->col_count, sizeof *m->cell_metric);
    for (int64_t n = 0; n < m->print->count; n++) {
        const published_line *line = &m->print->lines[n];
        int32_t values[KEYS_MOST];
        int64_t row = m->rows.index[combination(&m->rows, line, values)];
        int64_t col = m->cols.index[combination(&m->cols, line, values)], at = row * t->col_count + col;
        if (lines[at])
            return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: the same cell (%s, %s) as in line %lld", m->print->path,
                            (long long)line->number, t->rows[row].label, t->cols[col].label, (long long)lines[at]);
        lines[at] = line->number;
        for (int64_t i = 0; i < m->fixed_count; i++)
            if (is_metric(&m->fixed[i]))
                m->cell_metric[at] = find_value(&m->fixed[i].key, line->fields[m->fixed[i].column]);
        table_cell *cell = &t->cells[at];
        m->out->wanted[at] = true;
        if (line->open) continue;
        cell->has_reference = t->references = true;
        cell->reference_mean = line->mean;
        cell->reference_std = line->std;
        cell->reference_mark = *line->mark ? line->mark : NULL;
        m->out->cells += !isnan(line->mean);
    }
    return CRU_OK;
}

/* ---- what was measured ----------------------------------------------------------------------------------- */

/* For every level of one of our settings the position of the published value; -1: it is not in the print. The last entry
 * is for trials without the setting. */
static const int32_t *map_levels(making *m, const axis_key *k, const frame_column *column)
{
    int64_t count = column ? column->level_count : 0;
    int32_t *map = cru_arena_alloc(m->arena, count + 1, sizeof *map);
    for (int64_t i = 0; i < count; i++) map[i] = find_value(&k->key, translate(k->match, column->levels[i]));
    map[count] = find_value(&k->key, translate(k->match, ""));
    return map;
}

typedef struct trial_key {
    const frame_column *column;
    const int32_t *map;
    int64_t radix;
    bool metric;
} trial_key;

static trial_key make_trial_key(making *m, const axis_key *k)
{
    const frame *f = m->request->f;
    trial_key out = {.radix = k->key.value_count};
    out.metric = is_metric(k);
    if (out.metric || !k->match) return out;
    out.column = pivot_key_find(f, k->match->key);
    out.map = map_levels(m, k, out.column);
    return out;
}

static int32_t value_of(const trial_key *k, int64_t item, int32_t metric)
{
    if (k->metric) return metric;
    if (!k->map) return k->radix == 1 ? 0 : -1;
    if (!k->column) return k->map[0];
    int32_t id = k->column->ids[item];
    return k->map[id < 0 ? k->column->level_count : id];
}

/* A published metric, ours, and where it stands. */
typedef struct measure_of {
    const frame_measure *measure;
    int32_t position; /* among the values of the key `metric`; 0 without one */
    bool unjudged;
} measure_of;

typedef struct filling {
    making *m;
    trial_key rows[KEYS_MOST], cols[KEYS_MOST], fixed[KEYS_MOST];
    int64_t *cell_of; /* of a trial and the present measure; -1: none */
} filling;

static int64_t place_on(const axis *x, const trial_key *keys, int64_t item, int32_t metric)
{
    int64_t number = 0;
    for (int64_t i = 0; i < x->count; i++) {
        int32_t value = value_of(&keys[i], item, metric);
        if (value < 0) return -1;
        number = number * keys[i].radix + value;
    }
    return x->index[number];
}

/* A fixed column that is empty says nothing. */
static int64_t cell_of(const filling *g, int64_t item, int32_t metric)
{
    const making *m = g->m;
    for (int64_t i = 0; i < m->fixed_count; i++)
        if (*m->fixed[i].key.values[0] && value_of(&g->fixed[i], item, metric) < 0) return -1;
    int64_t row = place_on(&m->rows, g->rows, item, metric);
    int64_t col = row < 0 ? -1 : place_on(&m->cols, g->cols, item, metric);
    int64_t at = row * m->out->t->col_count + col;
    return col < 0 || (m->cell_metric && m->cell_metric[at] != metric) ? -1 : at;
}

static int by_pair(const void *a, const void *b)
{
    const table_run *x = a, *y = b;
    return (x->pair > y->pair) - (x->pair < y->pair);
}

/* Two runs of a cell with one seed differ in something that the table does not show. */
static cru_status check_runs(const filling *g, const table_cell *cell, int64_t at, cru_error *err)
{
    const making *m = g->m;
    const frame *f = m->request->f;
    for (int64_t i = 1; i < cell->run_count; i++) {
        if (cell->runs[i].pair != cell->runs[i - 1].pair) continue;
        const char *differs = "the version of a plugin, or the metrics";
        int64_t first = -1;
        for (int64_t item = 0; item < f->count; item++) {
            if (g->cell_of[item] != at) continue;
            for (int64_t c = 0; first >= 0 && c < f->column_count; c++)
                if (f->columns[c].ids[item] != f->columns[c].ids[first] && strcmp(f->columns[c].name, "seed") != 0)
                    differs = f->columns[c].name;
            if (first < 0) first = item;
        }
        return fault(m->a, "rows", err, "the cell (%s, %s) has several runs of one seed, which differ in %s",
                     m->out->t->rows[at / m->out->t->col_count].label, m->out->t->cols[at % m->out->t->col_count].label,
                     differs);
    }
    return CRU_OK;
}

static table_mark worse(table_mark mark, store_outcome outcome)
{
    static const table_mark marks[STORE_OUTCOMES] = {TABLE_MISSING, TABLE_ERR, TABLE_OOM,
                                                     TABLE_OOT,     TABLE_ERR, TABLE_ERR};
    return marks[outcome] < mark ? marks[outcome] : mark;
}

static void summarise(const filling *g, table_cell *cell, const measure_of *what)
{
    const making *m = g->m;
    double scale = what->measure->flags & CRU_METRIC_PERCENT ? 100 : 1;
    double *values = cru_arena_alloc(m->arena, cell->run_count, sizeof *values);
    for (int64_t i = 0; i < cell->run_count; i++) values[i] = cell->runs[i].value *= scale;
    cell->mean = stats_mean(values, cell->run_count);
    cell->spread = stats_spread(values, cell->run_count, m->request->spread);
    cell->mark = TABLE_VALUE;
}

static cru_status put_measure(filling *g, const measure_of *what, cru_error *err)
{
    making *m = g->m;
    const frame *f = m->request->f;
    table *t = m->out->t;
    const frame_column *seed = frame_find_column(f, "seed");
    for (int64_t i = 0; i < f->count; i++) {
        g->cell_of[i] = cell_of(g, i, what->position);
        if (g->cell_of[i] >= 0) t->cells[g->cell_of[i]].trials++;
    }
    for (int64_t i = 0; i < f->count; i++) {
        table_cell *cell = g->cell_of[i] < 0 ? NULL : &t->cells[g->cell_of[i]];
        if (!cell) continue;
        if (!cell->runs) cell->runs = cru_arena_alloc(m->arena, cell->trials, sizeof *cell->runs);
        if (f->outcomes[i] != STORE_OK)
            cell->mark = worse(cell->mark, f->outcomes[i]);
        else if (!isnan(what->measure->values[i]))
            cell->runs[cell->run_count++] = (table_run){seed ? seed->ids[i] : (int32_t)i, what->measure->values[i]};
    }
    cru_status status = CRU_OK;
    for (int64_t at = 0; !status && at < t->row_count * t->col_count; at++) {
        table_cell *cell = &t->cells[at];
        if (!cell->run_count || cell->mark == TABLE_VALUE) continue;
        cell->unjudged = what->unjudged;
        qsort(cell->runs, (size_t)cell->run_count, sizeof *cell->runs, by_pair);
        status = check_runs(g, cell, at, err);
        if (!status) summarise(g, cell, what);
    }
    return status;
}

static bool is_listed(making *m, const char *list, const char *word)
{
    value_list items = {0};
    if (*list) values_split(m->arena, list, ',', &items, NULL);
    for (int64_t i = 0; i < items.count; i++)
        if (strcmp(items.items[i], word) == 0) return true;
    return false;
}

/* Our measure for a published metric. */
static const frame_measure *find_measure(const making *m, const axis_key *k, int64_t position)
{
    const frame *f = m->request->f;
    if (!k) return frame_find_measure(f, m->a->settings.metric);
    for (int64_t i = 0; i < f->measure_count; i++)
        if (strcmp(translate(k->match, f->measures[i].name), k->key.values[position]) == 0) return &f->measures[i];
    return NULL;
}

static const axis_key *metric_key(const making *m)
{
    const axis *both[] = {&m->rows, &m->cols};
    for (int x = 0; x < 2; x++)
        for (int64_t i = 0; i < both[x]->count; i++)
            if (is_metric(&both[x]->keys[i])) return &both[x]->keys[i];
    for (int64_t i = 0; i < m->fixed_count; i++)
        if (is_metric(&m->fixed[i])) return &m->fixed[i];
    return NULL;
}

static cru_status put_trials(making *m, cru_error *err)
{
    filling g = {.m = m};
    for (int64_t i = 0; i < m->rows.count; i++) g.rows[i] = make_trial_key(m, &m->rows.keys[i]);
    for (int64_t i = 0; i < m->cols.count; i++) g.cols[i] = make_trial_key(m, &m->cols.keys[i]);
    for (int64_t i = 0; i < m->fixed_count; i++) g.fixed[i] = make_trial_key(m, &m->fixed[i]);
    g.cell_of = cru_arena_alloc(m->arena, m->request->f->count, sizeof *g.cell_of);
    const axis_key *metric = metric_key(m);
    if (!metric && !*m->a->settings.metric)
        return fault(m->a, "metric", err, "%s has no column metric; name the metric here", m->print->path);
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < (metric ? metric->key.value_count : 1); i++) {
        measure_of what = {.measure = find_measure(m, metric, i), .position = (int32_t)i};
        if (!what.measure) continue;
        what.unjudged = is_listed(m, m->a->settings.unjudged, metric ? metric->key.values[i] : what.measure->name);
        status = put_measure(&g, &what, err);
    }
    return status;
}

/* ---- the verdict ----------------------------------------------------------------------------------------- */

static void judge(making *m)
{
    table *t = m->out->t;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        if (!cell->has_reference || isnan(cell->reference_mean)) continue;
        bool known = cell->mark == TABLE_VALUE;
        m->out->measured += known;
        cell->unjudged |= cell->reference_mark != NULL;
        double std = isnan(cell->reference_std) ? cell->spread : cell->reference_std;
        double width = fmax(t->reference_points, isnan(std) ? 0 : t->reference_k * std);
        cell->inside = known && fabs(cell->mean - cell->reference_mean) <= width * (1 + 1e-9);
        if (!known || cell->unjudged) continue;
        m->out->judged++;
        m->out->inside += cell->inside;
    }
}

static bool has_method(const axis *x)
{
    for (int64_t i = 0; i < x->count; i++)
        if (x->keys[i].match && strcmp(x->keys[i].match->key, "alias") == 0) return true;
    return false;
}

static bool is_method(const axis_key *k)
{
    return k->match && strcmp(k->match->key, "alias") == 0;
}

/* Whether two rows (or columns) differ in nothing but the method; without methods there, whether they are comparable at
 * all. */
static bool comparable(const axis *x, int64_t a, int64_t b)
{
    bool methods = has_method(x);
    for (int64_t i = 0; methods && i < x->count; i++)
        if (!is_method(&x->keys[i]) && x->values[a][i] != x->values[b][i]) return false;
    return true;
}

/* Best and second best of the cells that are comparable with the first of them; `step` apart. */
static void mark_line(const axis *x, int64_t start, table_cell *first, int64_t step, bool lower)
{
    double best = NAN, second = NAN;
    for (int64_t i = start; i < x->size; i++) {
        double mean = first[i * step].mark == TABLE_VALUE && comparable(x, start, i) ? first[i * step].mean : NAN;
        if (isnan(mean)) continue;
        bool better = isnan(best) || (lower ? mean < best : mean > best);
        if (better) {
            second = best;
            best = mean;
        } else if (mean != best && (isnan(second) || (lower ? mean < second : mean > second))) {
            second = mean;
        }
    }
    for (int64_t i = start; i < x->size; i++) {
        table_cell *cell = &first[i * step];
        if (cell->mark == TABLE_VALUE && comparable(x, start, i))
            cell->place = cell->mean == best ? 1 : cell->mean == second ? 2 : 0;
    }
}

static void mark_lines(const axis *x, table_cell *first, int64_t step, bool lower)
{
    for (int64_t start = 0; start < x->size; start++) {
        bool leads = true;
        for (int64_t i = 0; i < start && leads; i++) leads = !comparable(x, i, start);
        if (leads) mark_line(x, start, first, step, lower);
    }
}

static void mark_places(making *m)
{
    table *t = m->out->t;
    int64_t how = m->a->settings.marks;
    if (*m->a->settings.ranks) table_rank(m->arena, t); /* its places give way to those of the lines that are marked */
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) t->cells[i].place = 0;
    if (how == ARTEFACT_MARKS_AUTO)
        how = has_method(&m->cols)   ? ARTEFACT_MARKS_ROWS
              : has_method(&m->rows) ? ARTEFACT_MARKS_COLS
                                     : ARTEFACT_MARKS_NONE;
    for (int64_t r = 0; how == ARTEFACT_MARKS_ROWS && r < t->row_count; r++)
        mark_lines(&m->cols, table_at(t, r, 0), 1, t->lower_is_better);
    for (int64_t c = 0; how == ARTEFACT_MARKS_COLS && c < t->col_count; c++)
        mark_lines(&m->rows, table_at(t, 0, c), t->col_count, t->lower_is_better);
}

/* The number of runs that most cells have is not printed with them. */
static int64_t usual_runs(const making *m)
{
    const table *t = m->out->t;
    int64_t best = 0, best_count = 0;
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        int64_t runs = t->cells[i].run_count, count = 0;
        if (runs == 0 || runs == best) continue;
        for (int64_t k = 0; k < t->row_count * t->col_count; k++) count += t->cells[k].run_count == runs;
        if (count > best_count || (count == best_count && runs > best)) {
            best = runs;
            best_count = count;
        }
    }
    return best;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

static void start_table(making *m)
{
    const artefact_settings *s = &m->a->settings;
    table *t = m->out->t = cru_arena_alloc_zeroed(m->arena, 1, sizeof *t);
    *t = (table){.experiment = m->a->name,
                 .metric = *s->metric ? s->metric : "",
                 .caption = *s->title ? s->title : m->a->name,
                 .lower_is_better = s->lower,
                 .scale = 1,
                 .digits = decimals(m->print),
                 .spread = m->request->spread,
                 .alpha = 0.05,
                 .row_count = m->rows.size,
                 .col_count = m->cols.size,
                 .row_key_count = m->rows.count,
                 .col_key_count = m->cols.count,
                 .reference_k = s->stds,
                 .reference_points = s->points,
                 .note = *s->note ? s->note : NULL};
    t->cells = cru_arena_alloc_zeroed(m->arena, t->row_count * t->col_count, sizeof *t->cells);
    m->out->wanted = cru_arena_alloc_zeroed(m->arena, t->row_count * t->col_count, sizeof(bool));
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        table_cell *cell = &t->cells[i];
        cell->mark = TABLE_MISSING;
        cell->mean = cell->spread = cell->rank = cell->p = cell->against_mean = cell->against_p = NAN;
        cell->reference_mean = cell->reference_std = NAN;
    }
}

static void keep_keys(making *m)
{
    layout *l = m->out;
    const axis_key *from[] = {m->rows.keys, m->cols.keys, m->fixed};
    layout_key **to[] = {&l->row_keys, &l->col_keys, &l->fixed};
    int64_t counts[] = {m->rows.count, m->cols.count, m->fixed_count};
    int64_t *out[] = {&l->row_key_count, &l->col_key_count, &l->fixed_count};
    for (int k = 0; k < 3; k++) {
        *to[k] = cru_arena_alloc(m->arena, counts[k], sizeof **to[k]);
        for (int64_t i = 0; i < counts[k]; i++) (*to[k])[i] = from[k][i].key;
        *out[k] = counts[k];
    }
    l->row_values = m->rows.values;
    l->col_values = m->cols.values;
}

/* The metric decides what is better, unless the table shows several. */
static void find_direction(making *m)
{
    const axis_key *metric = metric_key(m);
    const frame_measure *measure =
        m->request->f && (!metric || metric->key.value_count == 1) ? find_measure(m, metric, 0) : NULL;
    if (measure && measure->flags & CRU_METRIC_LOWER_IS_BETTER) m->out->t->lower_is_better = true;
}

/* What stands behind the columns, and the row below. */
static cru_status sum_up(making *m, cru_error *err)
{
    const artefact_settings *s = &m->a->settings;
    table_request what = {.average = s->average, .no_ranks = !*s->ranks, .groups = s->ranks};
    cru_error why = {0};
    if (*s->baselines && table_below(m->arena, m->out->t, s->baselines, &why) != CRU_OK)
        return fault(m->a, "baselines", err, "%s", why.text);
    if (!s->average && !*s->baselines && !*s->ranks) return CRU_OK;
    if (table_sum_up(m->arena, m->out->t, &what, &why) != CRU_OK) return fault(m->a, "ranks", err, "%s", why.text);
    return CRU_OK;
}

cru_status layout_make(const layout_request *request, layout *out, cru_error *err)
{
    *out = (layout){0};
    making *m = cru_arena_alloc_zeroed(request->arena, 1, sizeof *m);
    *m = (making){
        .request = request, .a = request->artefact, .print = request->print, .arena = request->arena, .out = out};
    const artefact_settings *s = &m->a->settings;
    cru_status status = read_axis(m, "rows", s->rows, &m->rows, err);
    if (!status) status = read_axis(m, "cols", s->cols, &m->cols, err);
    if (!status) status = read_fixed(m, err);
    if (status) return status;
    number_axis(m, &m->rows);
    number_axis(m, &m->cols);
    start_table(m);
    make_heads(m);
    keep_keys(m);
    status = put_print(m, err);
    if (!status && request->f && *s->curves) status = layout_put_curves(m->a, request->f, out, err);
    if (!status && request->f && !*s->curves) status = put_trials(m, err);
    if (status) return status;
    find_direction(m);
    judge(m);
    mark_places(m);
    out->t->full_runs = usual_runs(m);
    status = sum_up(m, err);
    lift_groups(m);
    return status;
}

const char *layout_value(const layout *l, int64_t row, int64_t col, const char *key)
{
    for (int64_t i = 0; i < l->row_key_count; i++)
        if (strcmp(l->row_keys[i].name, key) == 0) return l->row_keys[i].values[l->row_values[row][i]];
    for (int64_t i = 0; i < l->col_key_count; i++)
        if (strcmp(l->col_keys[i].name, key) == 0) return l->col_keys[i].values[l->col_values[col][i]];
    for (int64_t i = 0; i < l->fixed_count; i++)
        if (strcmp(l->fixed[i].name, key) == 0) return l->fixed[i].values[0];
    return NULL;
}

/* The position of a trial's value of a key; -1: the print has none; -2: the key says nothing of trials. */
static int32_t position_of(const layout_key *key, const artefact_file *a, layout_setting *value, void *user)
{
    const artefact_match *match = layout_match(a, key->name);
    if (!match || strcmp(match->key, "metric") == 0) return -2;
    return find_value(key, translate(match, value(user, match->key)));
}

static bool line_fits(const int32_t *values, const int32_t *wanted, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        if (wanted[i] >= 0 && values[i] != wanted[i]) return false;
    return true;
}

static bool find_positions(const layout_key *keys, int64_t count, const artefact_file *a, layout_setting *value,
                           void *user, int32_t *out)
{
    for (int64_t i = 0; i < count; i++) {
        out[i] = position_of(&keys[i], a, value, user);
        if (out[i] == -1) return false;
    }
    return true;
}

bool layout_takes(const layout *l, const artefact_file *a, layout_setting *value, void *user)
{
    int32_t rows[KEYS_MOST], cols[KEYS_MOST];
    for (int64_t i = 0; i < l->fixed_count; i++)
        if (*l->fixed[i].values[0] && position_of(&l->fixed[i], a, value, user) == -1) return false;
    if (!find_positions(l->row_keys, l->row_key_count, a, value, user, rows)) return false;
    if (!find_positions(l->col_keys, l->col_key_count, a, value, user, cols)) return false;
    for (int64_t r = 0; r < l->t->row_count; r++) {
        if (!line_fits(l->row_values[r], rows, l->row_key_count)) continue;
        for (int64_t c = 0; c < l->t->col_count; c++)
            if (l->wanted[r * l->t->col_count + c] && line_fits(l->col_values[c], cols, l->col_key_count)) return true;
    }
    return false;
}
