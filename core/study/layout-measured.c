// SPDX-License-Identifier: Apache-2.0
/* Our trials in the cells of a printed table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "report/table/keys.h"
#include "report/table/stats.h"
#include "study/layout-making.h"

/* For every level of one of our settings the position of the published value; -1: it is not in the print. The last
 * entry is for trials without the setting. */
static const int32_t *map_levels(making *m, const axis_key *k, const frame_column *column)
{
    int64_t count = column ? column->level_count : 0;
    int32_t *map = cru_arena_alloc(m->arena, count + 1, sizeof *map);
    for (int64_t i = 0; i < count; i++) map[i] = axis_find(&k->key, layout_translate(k->match, column->levels[i]));
    map[count] = axis_find(&k->key, layout_translate(k->match, ""));
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
    out.metric = axis_is_metric(k);
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
        return making_fault(m->a, "rows", err, "the cell (%s, %s) has several runs of one seed, which differ in %s",
                            m->out->t->rows[at / m->out->t->col_count].label,
                            m->out->t->cols[at % m->out->t->col_count].label, differs);
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
        if (strcmp(layout_translate(k->match, f->measures[i].name), k->key.values[position]) == 0)
            return &f->measures[i];
    return NULL;
}

static const axis_key *metric_key(const making *m)
{
    const axis *both[] = {&m->rows, &m->cols};
    for (int x = 0; x < 2; x++)
        for (int64_t i = 0; i < both[x]->count; i++)
            if (axis_is_metric(&both[x]->keys[i])) return &both[x]->keys[i];
    for (int64_t i = 0; i < m->fixed_count; i++)
        if (axis_is_metric(&m->fixed[i])) return &m->fixed[i];
    return NULL;
}

cru_status measured_put(making *m, cru_error *err)
{
    filling g = {.m = m};
    for (int64_t i = 0; i < m->rows.count; i++) g.rows[i] = make_trial_key(m, &m->rows.keys[i]);
    for (int64_t i = 0; i < m->cols.count; i++) g.cols[i] = make_trial_key(m, &m->cols.keys[i]);
    for (int64_t i = 0; i < m->fixed_count; i++) g.fixed[i] = make_trial_key(m, &m->fixed[i]);
    g.cell_of = cru_arena_alloc(m->arena, m->request->f->count, sizeof *g.cell_of);
    const axis_key *metric = metric_key(m);
    if (!metric && !*m->a->settings.metric)
        return making_fault(m->a, "metric", err, "%s has no column metric; name the metric here", m->print->path);
    cru_status status = CRU_OK;
    for (int64_t i = 0; !status && i < (metric ? metric->key.value_count : 1); i++) {
        measure_of what = {.measure = find_measure(m, metric, i), .position = (int32_t)i};
        if (!what.measure) continue;
        what.unjudged = is_listed(m, m->a->settings.unjudged, metric ? metric->key.values[i] : what.measure->name);
        status = put_measure(&g, &what, err);
    }
    return status;
}

/* The metric decides what is better, unless the table shows several. */
void measured_direction(making *m)
{
    const axis_key *metric = metric_key(m);
    const frame_measure *measure =
        m->request->f && (!metric || metric->key.value_count == 1) ? find_measure(m, metric, 0) : NULL;
    if (measure && measure->flags & CRU_METRIC_LOWER_IS_BETTER) m->out->t->lower_is_better = true;
}
