// SPDX-License-Identifier: Apache-2.0
#include "study/curves.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "config/strings.h"
#include "report/table/frechet.h"
#include "report/table/keys.h"

static const char prefix[] = "frechet ";

typedef struct drawing {
    const artefact_file *a;
    const frame *f;
    const layout *l;
    const frame_column *method, *dataset;
    double *levels; /* of every trial; NAN: none */
    const frame_measure *target;
    frechet_scale scale;
    double *x, *y[2]; /* one pair of curves; room for all trials */
    int64_t *n;
} drawing;

static void find_levels(drawing *d, const char *over)
{
    value_list keys = {0};
    values_split(d->f->arena, over, ',', &keys, NULL);
    for (int64_t i = 0; i < d->f->count; i++) d->levels[i] = NAN;
    for (int64_t k = 0; k < keys.count; k++) {
        char *key = string_copy(d->f->arena, keys.items[k]), *times = strchr(key, '*');
        double factor = 1;
        if (times && values_number(times + 1 + strspn(times + 1, " "), &factor)) *times = '\0';
        for (size_t n = strlen(key); n > 0 && key[n - 1] == ' '; n--) key[n - 1] = '\0';
        const frame_column *column = pivot_key_find(d->f, key);
        for (int64_t i = 0; column && i < d->f->count; i++) {
            double level;
            if (isnan(d->levels[i]) && column->ids[i] >= 0 && values_number(column->levels[column->ids[i]], &level))
                d->levels[i] = factor * level;
        }
    }
}

static bool fits(const drawing *d, int64_t item, int64_t row, int64_t col, bool one_method)
{
    const struct {
        const char *key;
        const frame_column *column;
    } conditions[] = {{"dataset", d->dataset}, {"method", one_method ? d->method : NULL}};
    for (int i = 0; i < 2; i++) {
        const char *wanted = layout_value(d->l, row, col, conditions[i].key);
        const frame_column *column = conditions[i].column;
        if (!wanted || !column) continue;
        const char *ours = column->ids[item] < 0 ? "" : column->levels[column->ids[item]];
        if (!layout_same(layout_published_value(d->a, conditions[i].key, ours), wanted)) return false;
    }
    return d->f->outcomes[item] == STORE_OK && !isnan(d->levels[item]);
}

static int by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static int64_t collect_levels(const drawing *d, int64_t row, int64_t col)
{
    int64_t count = 0, distinct = 0;
    for (int64_t i = 0; i < d->f->count; i++)
        if (fits(d, i, row, col, true)) d->x[count++] = d->levels[i];
    if (count > 1) qsort(d->x, (size_t)count, sizeof *d->x, by_number);
    for (int64_t i = 0; i < count; i++)
        if (!distinct || d->x[i] != d->x[distinct - 1]) d->x[distinct++] = d->x[i];
    return distinct;
}

static bool is_flipped(const drawing *d, const char *name)
{
    value_list names = {0};
    if (*d->a->settings.curve_flip) values_split(d->f->arena, d->a->settings.curve_flip, ',', &names, NULL);
    for (int64_t i = 0; i < names.count; i++)
        if (strcmp(names.items[i], name) == 0) return true;
    return false;
}

/* The mean of a measure at every level. A metric that describes the data is the same for all methods. */
static void draw(const drawing *d, const frame_measure *measure, int64_t row, int64_t col, int64_t count, double *y)
{
    bool lower = measure->flags & CRU_METRIC_LOWER_IS_BETTER || is_flipped(d, measure->name);
    memset(d->n, 0, (size_t)count * sizeof *d->n);
    for (int64_t i = 0; i < count; i++) y[i] = 0;
    for (int64_t i = 0; i < d->f->count; i++) {
        if (isnan(measure->values[i]) || !fits(d, i, row, col, measure == d->target)) continue;
        const double *at = bsearch(&d->levels[i], d->x, (size_t)count, sizeof *d->x, by_number);
        if (!at) continue;
        y[at - d->x] += measure->values[i];
        d->n[at - d->x]++;
    }
    for (int64_t i = 0; i < count; i++) {
        y[i] = d->n[i] ? y[i] / (double)d->n[i] : NAN;
        if (lower) y[i] = 1 - y[i];
    }
}

static void fill_cell(const drawing *d, int64_t row, int64_t col)
{
    table_cell *cell = table_at(d->l->t, row, col);
    const char *metric = layout_value(d->l, row, col, "metric");
    if (!metric || strncmp(metric, prefix, strlen(prefix)) != 0) return;
    const frame_measure *measure = frame_find_measure(d->f, metric + strlen(prefix));
    int64_t count = measure ? collect_levels(d, row, col) : 0;
    if (count < 2) return;
    draw(d, d->target, row, col, count, d->y[0]);
    draw(d, measure, row, col, count, d->y[1]);
    cell->mean = frechet_compare(&(curve_pair){d->x, d->y[0], d->y[1], count, d->scale});
    cell->trials = 0; /* levels that both curves have */
    for (int64_t i = 0; i < count; i++) cell->trials += !isnan(d->y[0][i]) && !isnan(d->y[1][i]);
    if (!isnan(cell->mean)) cell->mark = TABLE_VALUE;
}

cru_status layout_put_curves(const artefact_file *a, frame *f, layout *l, cru_error *err)
{
    const artefact_settings *s = &a->settings;
    config_place place = artefact_place(a, "curves");
    drawing d = {.a = a, .f = f, .l = l, .target = frame_find_measure(f, s->curves)};
    d.method = frame_find_column(f, "alias");
    d.dataset = frame_find_column(f, "dataset");
    while (d.scale < FRECHET_SCALES && strcmp(s->curve_scale, frechet_scale_names[d.scale]) != 0) d.scale++;
    if (d.scale == FRECHET_SCALES)
        return cru_fail(err, CRU_BAD_INPUT, "%s:%d: curve_scale: '%s' is none of values, both, none", place.file,
                        place.line, s->curve_scale);
    if (!*s->curve_over)
        return cru_fail(err, CRU_BAD_INPUT, "%s:%d: curves: curve_over must name the setting that is swept", place.file,
                        place.line);
    if (!d.target) return CRU_OK; /* a part that has the metric was not run yet: the cells stay open */
    d.levels = cru_arena_alloc(f->arena, f->count, sizeof *d.levels);
    d.x = cru_arena_alloc(f->arena, f->count, sizeof *d.x);
    d.y[0] = cru_arena_alloc(f->arena, f->count, sizeof **d.y);
    d.y[1] = cru_arena_alloc(f->arena, f->count, sizeof **d.y);
    d.n = cru_arena_alloc(f->arena, f->count, sizeof *d.n);
    find_levels(&d, s->curve_over);
    for (int64_t r = 0; r < l->t->row_count; r++)
        for (int64_t c = 0; c < l->t->col_count; c++) fill_cell(&d, r, c);
    return CRU_OK;
}
