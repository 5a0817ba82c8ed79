// SPDX-License-Identifier: Apache-2.0
/* plot-drop.c: bars of every method at the levels of a damage, and a line over the methods for what the last level
 * costs relative to the first, in per cent, on an axis of its own at the right. One panel for every value of the other
 * keys. */
#include <math.h>
#include <stdlib.h>

#include "report/format/words.h"
#include "report/plot/box.h"
#include "report/plot/grid.h"
#include "report/plot/sweep.h"

enum { SLOT = 12, NAME_MOST = 18 };

typedef struct drops {
    const table *t;
    sweep_list sweeps;
    axis y, loss;
} drops;

/* (first - last) / first in per cent; NAN without both, or when the first is 0. */
static double relative_loss(const table *t, int64_t row, const sweep *w)
{
    double first = table_at(t, row, w->cols[0])->mean, last = table_at(t, row, w->cols[w->count - 1])->mean;
    double lost = t->lower_is_better ? last - first : first - last;
    return first == 0 ? NAN : 100 * lost / fabs(first);
}

static void find_scales(drops *d)
{
    d->y = (axis){.low = 0, .high = 0};
    d->loss = (axis){.low = 0, .high = 0};
    for (int64_t i = 0; i < d->t->row_count * d->t->col_count; i++) {
        const table_cell *cell = &d->t->cells[i];
        double spread = isnan(cell->spread) ? 0 : cell->spread;
        axis_include(&d->y, (cell->mean + spread) * d->t->scale);
        if (cell->mean < 0) axis_include(&d->y, (cell->mean - spread) * d->t->scale);
    }
    for (int64_t i = 0; i < d->sweeps.count; i++)
        for (int64_t r = 0; r < d->t->row_count; r++)
            axis_include(&d->loss, relative_loss(d->t, r, &d->sweeps.items[i]));
    axis_round(&d->y);
    axis_round(&d->loss);
}

static void draw_bars(const drops *d, panel *p, int64_t row, const sweep *w, double left)
{
    for (int64_t i = 0; i < w->count; i++) {
        const table_cell *cell = table_at(d->t, row, w->cols[i]);
        if (cell->mark != TABLE_VALUE) continue;
        char text[40], tip[400];
        double mean = cell->mean * d->t->scale, spread = cell->spread * d->t->scale, x = left + SLOT * (double)i;
        double a = axis_at(&p->y, mean), b = axis_at(&p->y, fmax(p->y.low, 0));
        snprintf(tip, sizeof tip, "%s, %s: %.4g", d->t->rows[row].label, d->t->cols[w->cols[i]].label, mean);
        svg_tip_begin(p->s, tip);
        svg_rect(p->s, (svg_point){x, fmin(a, b)}, (svg_point){SLOT - 1, fabs(a - b)},
                 series_class(i, "fill", text, sizeof text));
        if (!isnan(spread)) box_error(p, x + SLOT / 2.0, (double[]){mean - spread, mean + spread});
        svg_tip_end(p->s);
    }
}

/* The ticks of the axis at the right. */
static void draw_loss_axis(const drops *d, const panel *p, const axis *loss)
{
    double ticks[AXIS_TICKS], x = p->corner.x + p->size.x;
    int count = axis_ticks(&d->loss, ticks);
    for (int i = 0; i < count; i++) {
        char text[32];
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        svg_text(p->s, (svg_point){x + 6, axis_at(loss, ticks[i]) + 4}, SVG_START, "tick", text);
    }
    svg_line(p->s, (svg_point){x, p->corner.y}, (svg_point){x, p->corner.y + p->size.y}, "axis");
    svg_text(p->s, (svg_point){x + 30, p->corner.y - 11}, SVG_END, "label", "decrease (%)");
}

static void draw_losses(const drops *d, panel *p, const sweep *w, double group)
{
    axis loss = d->loss;
    loss.from = p->corner.y + p->size.y;
    loss.to = p->corner.y;
    svg_point *line = malloc((size_t)d->t->row_count * sizeof *line);
    if (!line) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld points", (long long)d->t->row_count);
    int64_t count = 0;
    for (int64_t r = 0; r < d->t->row_count; r++) {
        double lost = relative_loss(d->t, r, w);
        if (!isnan(lost)) line[count++] = (svg_point){p->corner.x + group * ((double)r + 0.5), axis_at(&loss, lost)};
    }
    svg_polyline(p->s, line, count, "error");
    for (int64_t i = 0; i < count; i++) svg_circle(p->s, line[i], 3.5, "point");
    draw_loss_axis(d, p, &loss);
    free(line);
}

static void draw_panel(const drops *d, panel *p, const sweep *w)
{
    double group = p->size.x / (double)d->t->row_count;
    for (int64_t r = 0; r < d->t->row_count; r++) {
        char name[80];
        double middle = p->corner.x + group * ((double)r + 0.5);
        draw_bars(d, p, r, w, middle - SLOT * (double)w->count / 2);
        svg_text(p->s, (svg_point){middle, p->corner.y + p->size.y + 16}, SVG_MIDDLE, "tick",
                 svg_short(d->t->rows[r].label, NAME_MOST, name, sizeof name));
    }
    draw_losses(d, p, w, group);
}

/* Levels by colour, and the line. */
static void draw_key(const drops *d, svg *s, const legend_names *levels, double top)
{
    legend_names_draw(s, levels, top);
    double y = top + legend_names_height(levels, s->width) + 4;
    svg_line(s, (svg_point){12, y}, (svg_point){30, y}, "error");
    svg_circle(s, (svg_point){21, y}, 3.5, "point");
    char text[300];
    snprintf(text, sizeof text, "relative decrease from %s %s to %s, right axis", d->sweeps.key, d->sweeps.names[0],
             d->sweeps.names[d->sweeps.name_count - 1]);
    svg_text(s, (svg_point){36, y + 4}, SVG_START, "entry", text);
}

static void draw(drops *d, const plot_input *in, FILE *out)
{
    char title[300], caption[300], label[120];
    const table *t = d->t;
    double slot = SLOT * (double)d->sweeps.name_count + 14;
    for (int64_t r = 0; r < t->row_count; r++) {
        char name[80];
        slot = fmax(slot, 10 + svg_text_width(svg_short(t->rows[r].label, NAME_MOST, name, sizeof name)));
    }
    const char **names = malloc((size_t)d->sweeps.name_count * sizeof *names);
    if (!names) cru_panic(CRU_NO_MEMORY, "plot: no memory for names");
    for (int64_t i = 0; i < d->sweeps.name_count; i++) names[i] = d->sweeps.names[i];
    char first[120];
    snprintf(first, sizeof first, "%s %s", d->sweeps.key, names[0]);
    names[0] = first;
    legend_names levels = {names, d->sweeps.name_count};
    grid g = {.s.out = out, .count = d->sweeps.count, .margin = 40, .inner = fmax(200, slot * (double)t->row_count)};
    snprintf(title, sizeof title, "%s: %s over %s and what it loses", t->experiment, t->metric, d->sweeps.key);
    words_of_caption(t, caption, sizeof caption);
    grid_begin(&g, in->alone, legend_names_height(&levels, 420) + 24, &(grid_texts){title, caption});
    panel_metric(t, label, sizeof label);
    for (int64_t i = 0; i < d->sweeps.count; i++) {
        panel p = grid_panel(&g, i);
        p.x = (axis){.low = 0, .high = 1};
        p.y = d->y;
        panel_draw(&p, false, &(panel_texts){d->sweeps.items[i].title, "", label});
        draw_panel(d, &p, &d->sweeps.items[i]);
    }
    draw_key(d, &g.s, &levels, g.legend_from - 12);
    svg_end(&g.s);
    free(names);
}

cru_status plot_drop(const plot_input *in, FILE *out, cru_error *err)
{
    drops d = {.t = in->t};
    cru_status status = panel_need_values(in->t, err);
    if (!status) status = sweeps_find(in->t, in->ordinal, &d.sweeps, err);
    if (status) return status;
    find_scales(&d);
    draw(&d, in, out);
    sweeps_clear(&d.sweeps);
    return CRU_OK;
}
