// SPDX-License-Identifier: Apache-2.0
#include "study/layout.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/table/against.h"
#include "report/table/summary.h"
#include "study/curves.h"
#include "study/layout-making.h"

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

const char *layout_translate(const artefact_match *m, const char *ours)
{
    for (int64_t i = 0; m && i < m->pair_count; i++)
        if (layout_same(m->pairs[2 * i], ours)) return m->pairs[2 * i + 1];
    return ours;
}

const char *layout_published_value(const artefact_file *a, const char *column, const char *ours)
{
    return layout_translate(layout_match(a, column), ours);
}

/* ---- where it goes wrong --------------------------------------------------------------------------------- */

cru_status making_fault(const artefact_file *a, const char *key, cru_error *err, const char *format, ...)
{
    config_place place = artefact_place(a, key);
    char text[400];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return cru_fail(err, CRU_BAD_INPUT, "%s:%d: %s: %s", place.file, place.line, key, text);
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
        if (axis_is_metric(&m->fixed[i]))
            m->cell_metric = cru_arena_alloc_zeroed(m->arena, t->row_count * t->col_count, sizeof *m->cell_metric);
    for (int64_t n = 0; n < m->print->count; n++) {
        const published_line *line = &m->print->lines[n];
        int32_t values[KEYS_MOST];
        int64_t row = m->rows.index[axis_combination(&m->rows, line, values)];
        int64_t col = m->cols.index[axis_combination(&m->cols, line, values)], at = row * t->col_count + col;
        if (lines[at])
            return cru_fail(err, CRU_BAD_INPUT, "%s:%lld: the same cell (%s, %s) as in line %lld", m->print->path,
                            (long long)line->number, t->rows[row].label, t->cols[col].label, (long long)lines[at]);
        lines[at] = line->number;
        for (int64_t i = 0; i < m->fixed_count; i++)
            if (axis_is_metric(&m->fixed[i]))
                m->cell_metric[at] = axis_find(&m->fixed[i].key, line->fields[m->fixed[i].column]);
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

/* Whether all baselines are there, or the table is whole, so that one that is not is a mistake. The best of some of
 * them would not be what the table calls it. */
static bool has_baselines(const making *m)
{
    const table *t = m->out->t;
    value_list names = {0};
    bool all = *m->a->settings.baselines;
    if (!m->request->cut || !all) return all;
    values_split(m->arena, m->a->settings.baselines, ',', &names, NULL);
    for (int64_t i = 0; all && i < names.count; i++) {
        bool found = false;
        for (int64_t r = 0; !found && r < t->row_count; r++) found = strcmp(t->rows[r].label, names.items[i]) == 0;
        all = found;
    }
    return all;
}

/* What stands behind the columns, and the row below. */
static cru_status sum_up(making *m, cru_error *err)
{
    const artefact_settings *s = &m->a->settings;
    table_request what = {.average = s->average, .no_ranks = !*s->ranks, .groups = s->ranks};
    cru_error why = {0};
    if (has_baselines(m) && table_below(m->arena, m->out->t, s->baselines, &why) != CRU_OK)
        return making_fault(m->a, "baselines", err, "%s", why.text);
    if (!s->average && !*s->baselines && !*s->ranks) return CRU_OK;
    if (table_sum_up(m->arena, m->out->t, &what, &why) != CRU_OK)
        return making_fault(m->a, "ranks", err, "%s", why.text);
    return CRU_OK;
}

cru_status layout_make(const layout_request *request, layout *out, cru_error *err)
{
    *out = (layout){0};
    making *m = cru_arena_alloc_zeroed(request->arena, 1, sizeof *m);
    *m = (making){
        .request = request, .a = request->artefact, .print = request->print, .arena = request->arena, .out = out};
    const artefact_settings *s = &m->a->settings;
    cru_status status = axes_read(m, err);
    if (status) return status;
    start_table(m);
    axes_make_heads(m);
    keep_keys(m);
    status = put_print(m, err);
    if (!status && request->f && *s->curves) status = layout_put_curves(m->a, request->f, out, err);
    if (!status && request->f && !*s->curves) status = measured_put(m, err);
    if (status) return status;
    measured_direction(m);
    verdict_make(m);
    status = sum_up(m, err);
    axes_lift_groups(m);
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
    return axis_find(key, layout_translate(match, value(user, match->key)));
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
