// SPDX-License-Identifier: Apache-2.0
#include "report/table/frechet.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/table/summary.h"

const char *const frechet_scale_names[FRECHET_SCALES] = {"values", "both", "none"};

/* ---- distances ------------------------------------------------------------------------------------------- */

static double apart(curve_point a, curve_point b)
{
    return hypot(a.x - b.x, a.y - b.y);
}

/* One row of c at a time: before the step row[j] is c(i-1, j), after it c(i, j). */
double frechet_distance(curve p, curve q)
{
    if (p.count < 1 || q.count < 1) return NAN;
    double *row = malloc((size_t)q.count * sizeof *row);
    if (!row) cru_panic(CRU_NO_MEMORY, "no memory for the distance of two curves");
    for (int64_t i = 0; i < p.count; i++) {
        double corner = 0; /* c(i-1, j-1) */
        for (int64_t j = 0; j < q.count; j++) {
            double way = i > 0 ? row[j] : INFINITY;
            if (j > 0) way = fmin(way, row[j - 1]);
            if (i > 0 && j > 0) way = fmin(way, corner);
            if (i == 0 && j == 0) way = 0;
            corner = row[j];
            row[j] = fmax(way, apart(p.points[i], q.points[j]));
        }
    }
    double distance = row[q.count - 1];
    free(row);
    return distance;
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

static void scale_to_unit(curve_point *points, int64_t count, size_t member)
{
    double low = INFINITY, high = -INFINITY;
    for (int64_t i = 0; i < count; i++) {
        double value = *(double *)(void *)((char *)&points[i] + member);
        low = fmin(low, value);
        high = fmax(high, value);
    }
    for (int64_t i = 0; i < count; i++) {
        double *value = (double *)(void *)((char *)&points[i] + member);
        *value = high > low ? (*value - low) / (high - low) : 0;
    }
}

double frechet_compare(const curve_pair *pair)
{
    curve_point *a = calloc((size_t)pair->count + 1, sizeof *a), *b = calloc((size_t)pair->count + 1, sizeof *b);
    if (!a || !b) cru_panic(CRU_NO_MEMORY, "no memory for the distance of two curves");
    int64_t count = 0;
    for (int64_t i = 0; i < pair->count; i++) {
        if (isnan(pair->a[i]) || isnan(pair->b[i])) continue;
        a[count] = (curve_point){pair->x[i], pair->a[i]};
        b[count++] = (curve_point){pair->x[i], pair->b[i]};
    }
    curve_point *both[] = {a, b};
    for (int k = 0; k < 2; k++) {
        if (pair->scale != FRECHET_NONE) scale_to_unit(both[k], count, offsetof(curve_point, y));
        if (pair->scale == FRECHET_BOTH) scale_to_unit(both[k], count, offsetof(curve_point, x));
    }
    double distance = count < 2 ? NAN : frechet_distance((curve){a, count}, (curve){b, count});
    free(a);
    free(b);
    return distance;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

/* What the columns of the new table are made from. */
typedef struct comparison {
    frame *f;
    const table *target;
    table **measures;
    frechet_scale scale;
    table *t;
    /* one sweep: its columns and levels, and the values of two curves at them */
    int64_t *cols, count;
    double *x, *a, *b;
} comparison;

/* The curve of a metric that describes the data is the same for all methods, but for trials that failed. */
static double mean_over_rows(const table *t, int64_t col)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < t->row_count; r++) {
        double mean = table_at(t, r, col)->mean;
        if (isnan(mean)) continue;
        sum += mean;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

static double upright(const table *t, double value)
{
    return t->lower_is_better ? 1 - value : value;
}

/* "gcn", or "gcn preferential-attachment" where there are several sweeps. */
static table_head column_head(const comparison *c, int64_t row)
{
    const table *target = c->target;
    const char *const *parts = target->cols[c->cols[0]].parts;
    size_t size = strlen(target->rows[row].label) + 1;
    for (int64_t k = 0; k + 1 < target->col_key_count; k++) size += strlen(parts[k]) + 1;
    char *label = cru_arena_alloc(c->f->arena, (int64_t)size, 1);
    strcpy(label, target->rows[row].label);
    for (int64_t k = 0; k + 1 < target->col_key_count; k++) strcat(strcat(label, " "), parts[k]);
    const char **own = cru_arena_alloc(c->f->arena, 1, sizeof *own);
    own[0] = label;
    return (table_head){.label = label, .parts = own, .number = NAN};
}

/* One method over the sweep against every measure. */
static void add_column(comparison *c, int64_t row)
{
    int64_t col = c->t->col_count++;
    c->t->cols[col] = column_head(c, row);
    for (int64_t i = 0; i < c->count; i++) {
        c->x[i] = c->target->cols[c->cols[i]].number;
        c->a[i] = upright(c->target, table_at(c->target, row, c->cols[i])->mean);
    }
    for (int64_t m = 0; m < c->t->row_count; m++) {
        for (int64_t i = 0; i < c->count; i++)
            c->b[i] = upright(c->measures[m], mean_over_rows(c->measures[m], c->cols[i]));
        double distance = frechet_compare(&(curve_pair){c->x, c->a, c->b, c->count, c->scale});
        c->t->cells[col * c->t->row_count + m] = (table_cell){.mark = isnan(distance) ? TABLE_MISSING : TABLE_VALUE,
                                                              .trials = c->count,
                                                              .mean = distance,
                                                              .spread = NAN,
                                                              .rank = NAN,
                                                              .p = NAN};
    }
}

static void add_columns(comparison *c)
{
    for (int64_t first = 0; first < c->target->col_count; first++) {
        c->count = table_sweep(c->target, first, c->cols);
        for (int64_t r = 0; c->count > 1 && r < c->target->row_count; r++) add_column(c, r);
    }
}

/* Columns came one after the other; a table is row-major. */
static void turn_cells(const comparison *c)
{
    table *t = c->t;
    table_cell *cells = cru_arena_alloc(c->f->arena, t->row_count * t->col_count, sizeof *cells);
    for (int64_t i = 0; i < t->row_count * t->col_count; i++)
        cells[i] = t->cells[i % t->col_count * t->row_count + i / t->col_count];
    t->cells = cells;
}

static table *empty_table(const comparison *c, const frechet_request *request)
{
    cru_arena *arena = c->f->arena;
    int64_t most = c->target->row_count * c->target->col_count;
    char *caption = cru_arena_alloc(arena, 300, 1);
    snprintf(caption, 300, "discrete Fréchet distance to the curve of %s over %s, lower is better",
             request->target->name, c->target->col_keys[c->target->col_key_count - 1]);
    static const char *row_key[] = {"metric"}, *col_key[] = {"curve"};
    table *t = cru_arena_alloc_zeroed(arena, 1, sizeof *t);
    *t = (table){.experiment = c->f->experiment,
                 .metric = "frechet-distance",
                 .caption = caption,
                 .lower_is_better = true,
                 .scale = 1,
                 .digits = request->pivot.digits >= 0 ? request->pivot.digits : 3,
                 .alpha = c->target->alpha,
                 .row_count = request->measure_count,
                 .row_key_count = 1,
                 .col_key_count = 1,
                 .row_keys = row_key,
                 .col_keys = col_key};
    t->rows = cru_arena_alloc(arena, t->row_count, sizeof *t->rows);
    t->cols = cru_arena_alloc(arena, most, sizeof *t->cols);
    t->cells = cru_arena_alloc_zeroed(arena, t->row_count * most, sizeof *t->cells);
    for (int64_t m = 0; m < t->row_count; m++)
        t->rows[m] = (table_head){
            .label = request->measures[m]->name, .parts = (const char **)&request->measures[m]->name, .number = NAN};
    return t;
}

cru_status table_frechet(frame *f, const frechet_request *request, table **out, cru_error *err)
{
    table *target;
    cru_status status = table_make(f, request->target, &request->pivot, &target, err);
    comparison c = {.f = f, .scale = request->scale};
    c.measures = cru_arena_alloc(f->arena, request->measure_count, sizeof *c.measures);
    for (int64_t m = 0; !status && m < request->measure_count; m++)
        status = table_make(f, request->measures[m], &request->pivot, &c.measures[m], err);
    if (status) return status;
    c.target = target;
    c.cols = cru_arena_alloc(f->arena, target->col_count, sizeof *c.cols);
    c.x = cru_arena_alloc(f->arena, target->col_count, sizeof *c.x);
    c.a = cru_arena_alloc(f->arena, target->col_count, sizeof *c.a);
    c.b = cru_arena_alloc(f->arena, target->col_count, sizeof *c.b);
    c.t = empty_table(&c, request);
    add_columns(&c);
    if (c.t->col_count == 0)
        return cru_fail(err, CRU_UNSUPPORTED, "'%s' sweeps no number: the last key of --cols must take two or more",
                        f->experiment);
    turn_cells(&c);
    table_rank(f->arena, c.t);
    *out = c.t;
    return table_sum_up(f->arena, c.t, &request->pivot, err);
}
