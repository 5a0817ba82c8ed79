// SPDX-License-Identifier: Apache-2.0
/* plot-curve.c: mean and spread over the levels of the columns' last key, one panel for every value of the others, all on
 * the same scales, but for the levels where panels have keys of their own. Several metrics share a panel: lines of a method have its colour and the metric's dash. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/words.h"
#include "report/plot/grid.h"
#include "report/plot/sweep.h"

enum { DASHES = 4 };

typedef struct curves {
    const plot_input *in;
    sweep_list sweeps;
    double scale; /* that all metrics share, or 1 */
    axis x, y;
    bool direct;      /* names beside the lines */
    bool by_metric;   /* one row: a metric takes the place of the method */
    legend_names key; /* what colours mean */
} curves;

static int64_t series_of(const curves *c, int64_t row, int64_t metric)
{
    return c->by_metric ? metric : row;
}

/* ---- scales ---------------------------------------------------------------------------------------------- */

static void include_sweep(curves *c, const sweep *w)
{
    const plot_input *in = c->in;
    for (int64_t i = 0; i < w->count; i++) {
        axis_include(&c->x, sweep_place(&c->sweeps, in->t, w, i));
        for (int64_t m = 0; m < in->table_count; m++) {
            for (int64_t r = 0; r < in->t->row_count; r++) {
                const table_cell *cell = table_at(in->tables[m], r, w->cols[i]);
                double spread = isnan(cell->spread) ? 0 : cell->spread;
                axis_include(&c->y, (cell->mean - spread) * c->scale);
                axis_include(&c->y, (cell->mean + spread) * c->scale);
            }
        }
    }
}

static void find_scales(curves *c)
{
    const plot_input *in = c->in;
    c->scale = in->t->scale;
    for (int64_t m = 1; m < in->table_count; m++)
        if (in->tables[m]->scale != c->scale) c->scale = 1;
    c->x = axis_empty(false);
    c->y = axis_empty(false);
    for (int64_t i = 0; i < c->sweeps.count; i++) include_sweep(c, &c->sweeps.items[i]);
    axis_round(&c->y);
    if (c->sweeps.numeric) {
        axis_round(&c->x);
        return;
    }
    c->x = (axis){.low = 0,
                  .high = (double)(c->sweeps.name_count - 1),
                  .names = c->sweeps.names,
                  .name_count = c->sweeps.name_count};
}

/* The levels of one panel. */
static axis own_scale(const curves *c, const sweep *w)
{
    if (!c->sweeps.numeric) return c->x;
    axis x = axis_empty(false);
    for (int64_t i = 0; i < w->count; i++) axis_include(&x, sweep_place(&c->sweeps, c->in->t, w, i));
    axis_round(&x);
    return x;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* Pixels of the means over a sweep, of the upper and then the lower edge of the band. */
typedef struct trace {
    svg_point *line, *band;
    int64_t count;
} trace;

static trace trace_row(const curves *c, const panel *p, const table *t, int64_t row, const sweep *w)
{
    trace made = {.line = calloc((size_t)w->count, sizeof *made.line),
                  .band = calloc(2 * (size_t)w->count, sizeof *made.band)};
    if (!made.line || !made.band) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld points", (long long)w->count);
    for (int64_t i = 0; i < w->count; i++) {
        const table_cell *cell = table_at(t, row, w->cols[i]);
        if (cell->mark != TABLE_VALUE) continue;
        double spread = isnan(cell->spread) ? 0 : cell->spread * c->scale, mean = cell->mean * c->scale;
        double x = axis_at(&p->x, sweep_place(&c->sweeps, t, w, i));
        made.line[made.count] = (svg_point){x, axis_at(&p->y, mean)};
        made.band[made.count] = (svg_point){x, axis_at(&p->y, mean + spread)};
        made.band[2 * w->count - 1 - made.count] = (svg_point){x, axis_at(&p->y, mean - spread)};
        made.count++;
    }
    memmove(made.band + made.count, made.band + 2 * w->count - made.count, (size_t)made.count * sizeof *made.band);
    return made;
}

static void draw_trace(svg *s, const trace *row, int64_t series, int64_t dash)
{
    char text[40], line[60];
    svg_polygon(s, row->band, 2 * row->count, series_class(series, "band", text, sizeof text));
    series_class(series, "line", text, sizeof text);
    snprintf(line, sizeof line, dash ? "%s dash%d" : "%s", text, (int)(dash % DASHES));
    svg_polyline(s, row->line, row->count, line);
    for (int64_t i = 0; i < row->count; i++)
        svg_circle(s, row->line[i], 3, series_class(series, "fill", text, sizeof text));
}

static void draw_panel(const curves *c, panel *p, const sweep *w)
{
    const plot_input *in = c->in;
    const table *t = in->t;
    int64_t spot_count = 0;
    label_spot *spots = malloc((size_t)(t->row_count * in->table_count) * sizeof *spots);
    if (!spots) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld names", (long long)t->row_count);
    for (int64_t r = 0; r < t->row_count; r++) {
        for (int64_t m = 0; m < in->table_count; m++) {
            trace row = trace_row(c, p, in->tables[m], r, w);
            int64_t series = series_of(c, r, m);
            svg_tip_begin(p->s, c->key.names[series]);
            draw_trace(p->s, &row, series, c->by_metric ? 0 : m);
            svg_tip_end(p->s);
            if (row.count > 0 && (m == 0 || c->by_metric))
                spots[spot_count++] =
                    (label_spot){.want = row.line[row.count - 1].y, .series = series, .text = c->key.names[series]};
            free(row.line);
            free(row.band);
        }
    }
    labels_spread(spots, spot_count, p->corner.y + 4, p->corner.y + p->size.y);
    if (c->direct) labels_draw(p->s, spots, spot_count, p->corner.x + p->size.x + 2, SVG_START);
    free(spots);
}

enum { DASH_LINE = 20 };

static double dash_width(const curves *c, int64_t m)
{
    return 56 + svg_text_width(c->in->tables[m]->metric);
}

/* Lines that the meanings of dashes take in a picture of that width. */
static int64_t dash_lines(const curves *c, double wide)
{
    int64_t lines = 1;
    double x = 12;
    for (int64_t m = 0; m < c->in->table_count; m++) {
        if (x > 12 && x + dash_width(c, m) > wide) {
            lines++;
            x = 12;
        }
        x += dash_width(c, m);
    }
    return lines;
}

/* What dashes mean, where several methods share a panel with several metrics. */
static void draw_dashes(const curves *c, svg *s, double top, double wide)
{
    double x = 12;
    for (int64_t m = 0; m < c->in->table_count; m++) {
        char class[40] = "error";
        if (x > 12 && x + dash_width(c, m) > wide) {
            top += DASH_LINE;
            x = 12;
        }
        if (m) snprintf(class, sizeof class, "error dash%d", (int)(m % DASHES));
        svg_line(s, (svg_point){x, top + 12}, (svg_point){x + 26, top + 12}, class);
        svg_text(s, (svg_point){x + 32, top + 16}, SVG_START, "entry", c->in->tables[m]->metric);
        x += dash_width(c, m);
    }
}

static void draw(curves *c, FILE *out)
{
    const plot_input *in = c->in;
    char title[300], caption[300], label[160];
    double width = 0;
    for (int64_t i = 0; i < c->key.count; i++) {
        char text[120];
        width = fmax(width, 26 + svg_text_width(svg_short(c->key.names[i], LABEL_MOST, text, sizeof text)));
    }
    c->direct = LABEL_GAP * c->key.count <= GRID_INNER_HIGH && c->sweeps.count < 7;
    grid g = {.s.out = out, .count = c->sweeps.count, .margin = c->direct ? width : 0};
    bool dashes = in->table_count > 1 && !c->by_metric;
    double wide = (PANEL_LEFT + GRID_INNER_WIDE + 20) * fmin(GRID_PER_LINE, (double)g.count);
    double meanings = dashes ? 6 + DASH_LINE * (double)dash_lines(c, fmax(wide, 420)) : 0;
    double below = meanings + (c->direct ? 0 : legend_names_height(&c->key, fmax(wide, 420)));
    snprintf(title, sizeof title, "%s: %s over %s", in->t->experiment, in->t->metric, c->sweeps.key);
    words_of_caption(in->t, caption, sizeof caption);
    grid_begin(&g, in->alone, below, &(grid_texts){title, caption});
    panel_metric(in->t, label, sizeof label);
    if (in->table_count > 1) snprintf(label, sizeof label, "%s", c->scale == 100 ? "in %" : "value");
    for (int64_t i = 0; i < c->sweeps.count; i++) {
        panel p = grid_panel(&g, i);
        p.x = c->sweeps.mixed ? own_scale(c, &c->sweeps.items[i]) : c->x;
        p.y = c->y;
        panel_draw(&p, true, &(panel_texts){c->sweeps.items[i].title, c->sweeps.items[i].key, label});
        draw_panel(c, &p, &c->sweeps.items[i]);
    }
    if (dashes) draw_dashes(c, &g.s, g.legend_from, fmax(wide, 420));
    if (!c->direct) legend_names_draw(&g.s, &c->key, g.legend_from + meanings);
    svg_end(&g.s);
}

cru_status plot_curve(const plot_input *in, FILE *out, cru_error *err)
{
    curves c = {.in = in, .by_metric = in->table_count > 1 && in->t->row_count == 1};
    if (in->table_count > DASHES && !c.by_metric)
        return cru_fail(err, CRU_UNSUPPORTED, "curves of several methods tell at most %d metrics apart", DASHES);
    cru_status status = sweeps_find(in->t, in->ordinal, &c.sweeps, err);
    if (status) return status;
    c.key.count = c.by_metric ? in->table_count : in->t->row_count;
    const char **names = malloc((size_t)c.key.count * sizeof *names);
    if (!names) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld names", (long long)c.key.count);
    for (int64_t i = 0; i < c.key.count; i++) names[i] = c.by_metric ? in->tables[i]->metric : in->t->rows[i].label;
    c.key.names = names;
    find_scales(&c);
    draw(&c, out);
    free(names);
    sweeps_clear(&c.sweeps);
    return CRU_OK;
}
