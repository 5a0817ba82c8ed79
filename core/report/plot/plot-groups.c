// SPDX-License-Identifier: Apache-2.0
/* plot-groups.c: bars and boxes, side by side for every column of the table. */
#include <math.h>
#include <stdlib.h>

#include "report/format/escape.h"
#include "report/format/words.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"
#include "report/table/stats.h"

enum { LEFT = 60, TOP = 40, HEIGHT = 260, BELOW = 50 };

/* Draws one cell between x and x + width. */
typedef void cell_painter(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series);

static void tell(char *tip, size_t size, const table *t, int64_t row, int64_t col)
{
    cell_words words;
    words_of_cell(t, table_at(t, row, col), &words);
    snprintf(tip, size, "%s, %s: %s%s%s", t->rows[row].label, t->cols[col].label, words.value,
             words.spread[0] ? " ± " : "", words.spread);
}

static void draw_groups(const plot_input *in, FILE *out, axis y, cell_painter *paint)
{
    const table *t = in->t;
    double group = 10 * (double)(t->row_count + 1);
    for (int64_t c = 0; c < t->col_count; c++) group = fmax(group, 16 + 7 * (double)escape_width(t->cols[c].label));
    double width = fmax(420, group * (double)t->col_count);
    svg s = {.out = out, .width = LEFT + width + 20};
    s.height = TOP + HEIGHT + BELOW + legend_height(t, s.width);
    char title[200], label[120], tip[600];
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: %s by method", t->experiment, label);
    words_of_caption(t, tip, sizeof tip);
    svg_begin(&s, in->alone, title, tip);
    panel p = {.s = &s, .corner = {LEFT, TOP}, .size = {width, HEIGHT}, .x = {.low = 0, .high = 1}, .y = y};
    panel_draw(&p, false, t->experiment, "", label);
    group = width / (double)t->col_count;
    double slot = fmin(26, group / (double)(t->row_count + 1));
    for (int64_t c = 0; c < t->col_count; c++) {
        double left = LEFT + group * (double)c + (group - slot * (double)t->row_count) / 2;
        svg_text(&s, (svg_point){LEFT + group * ((double)c + 0.5), TOP + HEIGHT + 16}, SVG_MIDDLE, "tick",
                 t->cols[c].label);
        for (int64_t r = 0; r < t->row_count; r++) {
            const table_cell *cell = table_at(t, r, c);
            if (cell->mark != TABLE_VALUE) continue;
            double x = left + slot * (double)r;
            tell(tip, sizeof tip, t, r, c);
            svg_tip_begin(&s, tip);
            paint(&p, t, cell, (double[]){x + 1, x + slot - 1}, r);
            svg_tip_end(&s);
        }
    }
    legend_draw(&s, t, TOP + HEIGHT + BELOW - 10);
    svg_end(&s);
}

/* A line with caps from `low` to `high` at x. */
static void draw_error(panel *p, double x, double low, double high)
{
    double top = axis_at(&p->y, high), bottom = axis_at(&p->y, low);
    svg_line(p->s, (svg_point){x, top}, (svg_point){x, bottom}, "error");
    svg_line(p->s, (svg_point){x - 3, top}, (svg_point){x + 3, top}, "error");
    svg_line(p->s, (svg_point){x - 3, bottom}, (svg_point){x + 3, bottom}, "error");
}

static void paint_bar(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series)
{
    char text[40];
    double mean = cell->mean * t->scale, spread = cell->spread * t->scale;
    double a = axis_at(&p->y, mean), b = axis_at(&p->y, fmax(p->y.low, fmin(0, p->y.high)));
    svg_rect(p->s, (svg_point){span[0], fmin(a, b)}, (svg_point){span[1] - span[0], fabs(a - b)},
             series_class(series, "fill", text, sizeof text));
    if (!isnan(spread)) draw_error(p, (span[0] + span[1]) / 2, mean - spread, mean + spread);
}

static cru_status need_values(const table *t, cru_error *err)
{
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        if (t->cells[i].mark == TABLE_VALUE) return CRU_OK;
    }
    return cru_fail(err, CRU_UNSUPPORTED, "no finished trial of '%s' has a value of %s to draw", t->experiment,
                    t->metric);
}

cru_status plot_bars(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    if (need_values(t, err)) return CRU_UNSUPPORTED;
    axis y = {.low = 0, .high = 0};
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        const table_cell *cell = &t->cells[i];
        double spread = isnan(cell->spread) ? 0 : cell->spread;
        axis_include(&y, (cell->mean + spread) * t->scale);
        if (cell->mean < 0) axis_include(&y, (cell->mean - spread) * t->scale);
    }
    axis_round(&y);
    draw_groups(in, out, y, paint_bar);
    return CRU_OK;
}

/* ---- boxes ----------------------------------------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Box from the first to the third quartile, whiskers to the last runs within 1.5 times its height, dots beyond. */
static void paint_box(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series)
{
    char text[40];
    int64_t n = cell->run_count;
    double *v = malloc((size_t)n * sizeof *v), middle = (span[0] + span[1]) / 2;
    if (!v) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld runs", (long long)n);
    for (int64_t i = 0; i < n; i++) v[i] = cell->runs[i].value * t->scale;
    qsort(v, (size_t)n, sizeof *v, by_value);
    double q1 = stats_quantile(v, n, 0.25), q2 = stats_quantile(v, n, 0.5), q3 = stats_quantile(v, n, 0.75);
    double reach = 1.5 * (q3 - q1), low = q1, high = q3;
    for (int64_t i = 0; i < n; i++) {
        bool outside = v[i] < q1 - reach || v[i] > q3 + reach;
        if (outside) svg_circle(p->s, (svg_point){middle, axis_at(&p->y, v[i])}, 2, "error");
        if (!outside) low = fmin(low, v[i]);
        if (!outside) high = fmax(high, v[i]);
    }
    draw_error(p, middle, low, q1);
    draw_error(p, middle, q3, high);
    double top = axis_at(&p->y, q3), line = axis_at(&p->y, q2);
    svg_rect(p->s, (svg_point){span[0], top}, (svg_point){span[1] - span[0], axis_at(&p->y, q1) - top},
             series_class(series, "box", text, sizeof text));
    svg_line(p->s, (svg_point){span[0], line}, (svg_point){span[1], line}, "error");
    free(v);
}

cru_status plot_box(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    if (need_values(t, err)) return CRU_UNSUPPORTED;
    axis y = {.low = INFINITY, .high = -INFINITY};
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        for (int64_t k = 0; k < t->cells[i].run_count; k++) axis_include(&y, t->cells[i].runs[k].value * t->scale);
    }
    axis_round(&y);
    draw_groups(in, out, y, paint_box);
    return CRU_OK;
}
