// SPDX-License-Identifier: Apache-2.0
/* plot-groups.c: bars and boxes, side by side for every column of the table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"
#include "report/format/words.h"
#include "report/plot/box.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"

enum { HEIGHT = 260 };

/* Draws one cell between x and x + width. */
typedef void cell_painter(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series);

static void tell(char *tip, size_t size, const table *t, int64_t row, int64_t col)
{
    cell_words words;
    words_of_cell(t, table_at(t, row, col), &words);
    snprintf(tip, size, "%s, %s: %s%s%s", t->rows[row].label, t->cols[col].label, words.value,
             words.spread[0] ? " ± " : "", words.spread);
}

/* ---- names of columns ------------------------------------------------------------------------------------ */

/* The parts of a column but the last, in one text. */
static const char *upper_name(const table *t, int64_t col, char *text, size_t size)
{
    text[0] = '\0';
    for (int64_t k = 0; k + 1 < t->col_key_count; k++) {
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", used ? " " : "", t->cols[col].parts[k]);
    }
    return text;
}

static const char *lower_name(const table *t, int64_t col, char *text, size_t size)
{
    const char *last = t->cols[col].parts[t->col_key_count - 1];
    return svg_short(t->col_key_count > 1 && *last ? last : t->cols[col].label, 30, text, size);
}

/* The last key below every group; the others once below the groups that share them. */
static void draw_column_names(const panel *p, const table *t, double group)
{
    char name[200], upper[200], next[200];
    double y = p->corner.y + p->size.y;
    for (int64_t c = 0; c < t->col_count; c++)
        svg_text(p->s, (svg_point){p->corner.x + group * ((double)c + 0.5), y + 16}, SVG_MIDDLE, "tick",
                 lower_name(t, c, name, sizeof name));
    for (int64_t c = 0, end; t->col_key_count > 1 && c < t->col_count; c = end) {
        upper_name(t, c, upper, sizeof upper);
        for (end = c + 1; end < t->col_count && strcmp(upper, upper_name(t, end, next, sizeof next)) == 0;) end++;
        double from = p->corner.x + group * (double)c + 6, to = p->corner.x + group * (double)end - 6;
        svg_line(p->s, (svg_point){from, y + 23}, (svg_point){to, y + 23}, "axis");
        svg_short(upper, (int64_t)((to - from + 12) / 7), name, sizeof name);
        svg_text(p->s, (svg_point){(from + to) / 2, y + 37}, SVG_MIDDLE, "tick", name);
    }
}

static double group_width(const table *t)
{
    char name[200];
    double group = 10 * (double)(t->row_count + 1);
    for (int64_t c = 0; c < t->col_count; c++)
        group = fmax(group, 12 + svg_text_width(lower_name(t, c, name, sizeof name)));
    return group;
}

/* ---- the picture ----------------------------------------------------------------------------------------- */

static void draw_groups(const plot_input *in, FILE *out, axis y, cell_painter *paint)
{
    const table *t = in->t;
    double group = group_width(t);
    double width = fmax(420, group * (double)t->col_count);
    svg s = {.out = out, .width = PANEL_LEFT + width + 20};
    s.height = PANEL_TOP + HEIGHT + PANEL_BELOW + legend_height(t, s.width);
    char title[200], label[120], tip[600];
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: %s by method", t->experiment, label);
    words_of_caption(t, tip, sizeof tip);
    svg_begin(&s, in->alone, title, tip);
    panel p = {.s = &s, .corner = {PANEL_LEFT, PANEL_TOP}, .size = {width, HEIGHT}, .x = {.low = 0, .high = 1}, .y = y};
    panel_draw(&p, false, &(panel_texts){t->experiment, "", label});
    group = width / (double)t->col_count;
    draw_column_names(&p, t, group);
    double slot = fmin(26, group / (double)(t->row_count + 1));
    for (int64_t c = 0; c < t->col_count; c++) {
        double left = PANEL_LEFT + group * (double)c + (group - slot * (double)t->row_count) / 2;
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
    legend_draw(&s, t, PANEL_TOP + HEIGHT + PANEL_BELOW - 6);
    svg_end(&s);
}

static void paint_bar(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series)
{
    char text[40];
    double mean = cell->mean * t->scale, spread = cell->spread * t->scale;
    double a = axis_at(&p->y, mean), b = axis_at(&p->y, fmax(p->y.low, fmin(0, p->y.high)));
    svg_rect(p->s, (svg_point){span[0], fmin(a, b)}, (svg_point){span[1] - span[0], fabs(a - b)},
             series_class(series, "fill", text, sizeof text));
    if (!isnan(spread)) box_error(p, (span[0] + span[1]) / 2, (double[]){mean - spread, mean + spread});
}

cru_status plot_bars(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
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

static void paint_box(panel *p, const table *t, const table_cell *cell, const double span[2], int64_t series)
{
    char text[40];
    double *v = malloc(((size_t)cell->run_count + 1) * sizeof *v);
    if (!v) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld runs", (long long)cell->run_count);
    for (int64_t i = 0; i < cell->run_count; i++) v[i] = cell->runs[i].value * t->scale;
    box_draw(p, &(box){.values = v,
                       .count = cell->run_count,
                       .from = span[0],
                       .to = span[1],
                       .classes = series_class(series, "box", text, sizeof text)});
    free(v);
}

cru_status plot_box(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    axis y = axis_empty(false);
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        for (int64_t k = 0; k < t->cells[i].run_count; k++) axis_include(&y, t->cells[i].runs[k].value * t->scale);
    }
    axis_round(&y);
    draw_groups(in, out, y, paint_box);
    return CRU_OK;
}
