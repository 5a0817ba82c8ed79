// SPDX-License-Identifier: Apache-2.0
/* plot-panels.c: curves and scatters, small pictures side by side. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/words.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"

enum { PER_LINE = 3, WIDE = 330, HIGH = 300, LEFT = 60, TOP = 40, INNER_WIDE = 250, INNER_HIGH = 200 };

/* A picture of `count` panels with the legend below. */
static svg begin_panels(const plot_input *in, FILE *out, int64_t count, const char *what)
{
    char title[300], caption[300];
    int64_t lines = (count + PER_LINE - 1) / PER_LINE, across = count < PER_LINE ? count : PER_LINE;
    svg s = {.out = out, .width = fmax(WIDE * (double)across, 420)};
    s.height = HIGH * (double)lines + legend_height(in->t, s.width);
    snprintf(title, sizeof title, "%s: %s %s", in->t->experiment, in->t->metric, what);
    words_of_caption(in->t, caption, sizeof caption);
    svg_begin(&s, in->alone, title, caption);
    return s;
}

static void end_panels(const plot_input *in, svg *s)
{
    legend_draw(s, in->t, s->height - legend_height(in->t, s->width));
    svg_end(s);
}

static panel panel_number(svg *s, int64_t index)
{
    return (panel){.s = s,
                   .corner = {LEFT + WIDE * (double)(index % PER_LINE), TOP + HIGH * (double)(index / PER_LINE)},
                   .size = {INNER_WIDE, INNER_HIGH}};
}

/* ---- curves ---------------------------------------------------------------------------------------------- */

/* Pixels of one method's means over a sweep, of the upper and then the lower edge of its band. */
typedef struct trace {
    svg_point *line, *band;
    int64_t count;
} trace;

static trace trace_row(const panel *p, const table *t, int64_t row, const int64_t *cols, int64_t count)
{
    trace made = {.line = calloc((size_t)count, sizeof *made.line),
                  .band = calloc(2 * (size_t)count, sizeof *made.band)};
    if (!made.line || !made.band) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld points", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        const table_cell *cell = table_at(t, row, cols[i]);
        if (cell->mark != TABLE_VALUE) continue;
        double spread = isnan(cell->spread) ? 0 : cell->spread * t->scale, mean = cell->mean * t->scale;
        double x = axis_at(&p->x, t->cols[cols[i]].number);
        made.line[made.count] = (svg_point){x, axis_at(&p->y, mean)};
        made.band[made.count] = (svg_point){x, axis_at(&p->y, mean + spread)};
        made.band[2 * count - 1 - made.count] = (svg_point){x, axis_at(&p->y, mean - spread)};
        made.count++;
    }
    memmove(made.band + made.count, made.band + 2 * count - made.count, (size_t)made.count * sizeof *made.band);
    return made;
}

static void draw_sweep(panel *p, const table *t, const int64_t *cols, int64_t count)
{
    p->x = (axis){.low = INFINITY, .high = -INFINITY};
    p->y = p->x;
    for (int64_t i = 0; i < count; i++) {
        axis_include(&p->x, t->cols[cols[i]].number);
        for (int64_t r = 0; r < t->row_count; r++) {
            const table_cell *cell = table_at(t, r, cols[i]);
            double spread = isnan(cell->spread) ? 0 : cell->spread;
            axis_include(&p->y, (cell->mean - spread) * t->scale);
            axis_include(&p->y, (cell->mean + spread) * t->scale);
        }
    }
    axis_round(&p->x);
    axis_round(&p->y);
    char title[160] = "", label[120];
    for (int64_t k = 0; k + 1 < t->col_key_count; k++) {
        size_t used = strlen(title);
        snprintf(title + used, sizeof title - used, "%s%s", used ? " " : "", t->cols[cols[0]].parts[k]);
    }
    panel_metric(t, label, sizeof label);
    panel_draw(p, true, title, t->col_keys[t->col_key_count - 1], label);
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[40];
        trace row = trace_row(p, t, r, cols, count);
        svg_tip_begin(p->s, t->rows[r].label);
        svg_polygon(p->s, row.band, 2 * row.count, series_class(r, "band", text, sizeof text));
        svg_polyline(p->s, row.line, row.count, series_class(r, "line", text, sizeof text));
        for (int64_t i = 0; i < row.count; i++) {
            svg_circle(p->s, row.line[i], 3, series_class(r, "fill", text, sizeof text));
        }
        svg_tip_end(p->s);
        free(row.line);
        free(row.band);
    }
}

/* Walks over the sweeps of at least two points; draws them when there is a picture. Returns their number. */
static int64_t each_sweep(const table *t, svg *s)
{
    int64_t *cols = malloc(((size_t)t->col_count + 1) * sizeof *cols), index = 0;
    if (!cols) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld columns", (long long)t->col_count);
    for (int64_t c = 0; c < t->col_count; c++) {
        int64_t count = isnan(t->cols[c].number) ? 0 : table_sweep(t, c, cols);
        if (count < 2) continue;
        if (s) {
            panel p = panel_number(s, index);
            draw_sweep(&p, t, cols, count);
        }
        index++;
    }
    free(cols);
    return index;
}

cru_status plot_curve(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    int64_t count = each_sweep(t, NULL);
    if (count == 0) {
        return cru_fail(err, CRU_UNSUPPORTED,
                        "a curve needs a number with at least two values as the last key of the columns, not '%s'",
                        t->col_keys[t->col_key_count - 1]);
    }
    svg s = begin_panels(in, out, count, "over a swept setting");
    each_sweep(t, &s);
    end_panels(in, &s);
    return CRU_OK;
}

/* ---- scatter --------------------------------------------------------------------------------------------- */

static void draw_scatter(panel *p, const plot_input *in, int64_t col)
{
    const table *t = in->t;
    p->x = (axis){.low = INFINITY, .high = -INFINITY, .log = true};
    p->y = (axis){.low = INFINITY, .high = -INFINITY};
    for (int64_t r = 0; r < t->row_count; r++) {
        axis_include(&p->x, table_at(in->seconds, r, col)->mean);
        axis_include(&p->y, table_at(t, r, col)->mean * t->scale);
    }
    axis_round(&p->x);
    axis_round(&p->y);
    char label[120];
    panel_metric(t, label, sizeof label);
    panel_draw(p, true, t->cols[col].label, "seconds per run", label);
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[40];
        double seconds = table_at(in->seconds, r, col)->mean, mean = table_at(t, r, col)->mean * t->scale;
        if (isnan(mean) || !(seconds > 0)) continue;
        svg_point at = {axis_at(&p->x, seconds), axis_at(&p->y, mean)};
        svg_tip_begin(p->s, t->rows[r].label);
        svg_circle(p->s, at, 5, series_class(r, "fill", text, sizeof text));
        svg_tip_end(p->s);
    }
}

cru_status plot_scatter(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t, *seconds = in->seconds;
    bool drawable = false;
    if (seconds && seconds->row_count == t->row_count && seconds->col_count == t->col_count) {
        for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
            drawable |= t->cells[i].mark == TABLE_VALUE && seconds->cells[i].mean > 0;
        }
    }
    if (!drawable)
        return cru_fail(err, CRU_UNSUPPORTED, "no finished trial has both a time and a value of %s", t->metric);
    svg s = begin_panels(in, out, t->col_count, "against time");
    for (int64_t c = 0; c < t->col_count; c++) {
        panel p = panel_number(&s, c);
        draw_scatter(&p, in, c);
    }
    end_panels(in, &s);
    return CRU_OK;
}
