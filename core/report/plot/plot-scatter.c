// SPDX-License-Identifier: Apache-2.0
/* plot-scatter.c: what a run costs against what it gains, one panel a column, all on the same scales. The area of a
 * bubble is a second cost. Names stand beside the bubbles where there is room, else in a legend. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/words.h"
#include "report/plot/grid.h"

enum { RADIUS_LEAST = 4, RADIUS_MOST = 15, SIZES_HIGH = 44 };

typedef struct bubbles {
    const plot_input *in;
    axis x, y;
    double largest; /* of the sizes; 0: all are of one size */
    bool named;     /* every bubble has its name beside it */
} bubbles;

static bool fits(const table *t, const table *other)
{
    return other && other->row_count == t->row_count && other->col_count == t->col_count;
}

/* Costs, which are above 0 and differ by factors, lie on a log axis; scores do not. */
static bool needs_log(const table *x)
{
    bool any = false;
    for (int64_t i = 0; i < x->row_count * x->col_count; i++) {
        if (x->cells[i].mean <= 0) return false;
        any |= !isnan(x->cells[i].mean);
    }
    return any && x->scale == 1 && x->lower_is_better;
}

static double radius_of(const bubbles *b, int64_t row, int64_t col)
{
    if (b->largest == 0) return RADIUS_LEAST + 1;
    double size = table_at(b->in->size, row, col)->mean;
    return size > 0 ? fmax(RADIUS_LEAST, RADIUS_MOST * sqrt(size / b->largest)) : RADIUS_LEAST;
}

/* False: this cell has no bubble. */
static bool locate(const bubbles *b, const panel *p, const int64_t cell[2], svg_point *at)
{
    const table *t = b->in->t, *x = b->in->x;
    double cost = table_at(x, cell[0], cell[1])->mean * x->scale, mean = table_at(t, cell[0], cell[1])->mean * t->scale;
    if (isnan(mean) || isnan(cost) || (p->x.log && cost <= 0)) return false;
    *at = (svg_point){axis_at(&p->x, cost), axis_at(&p->y, mean)};
    return true;
}

/* Draws the names of a panel when it has a picture, and notes whether all of them found room. */
static void place_names(bubbles *b, const panel *p, int64_t col)
{
    svg_point at, low = {p->corner.x + 1, p->corner.y - 4},
                  high = {p->corner.x + p->size.x + 16, p->corner.y + p->size.y};
    label_map *m = label_map_create(low, high);
    for (int64_t r = 0; r < b->in->t->row_count; r++)
        if (locate(b, p, (int64_t[]){r, col}, &at)) label_map_block(m, at, radius_of(b, r, col));
    for (int64_t r = 0; r < b->in->t->row_count; r++) {
        if (!locate(b, p, (int64_t[]){r, col}, &at)) continue;
        b->named &= label_map_put(m, p->s, at, radius_of(b, r, col), b->in->t->rows[r].label);
    }
    label_map_destroy(m);
}

static void draw_bubbles(bubbles *b, panel *p, int64_t col)
{
    const table *t = b->in->t, *x = b->in->x;
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[40], tip[400];
        svg_point at;
        if (!locate(b, p, (int64_t[]){r, col}, &at)) continue;
        snprintf(tip, sizeof tip, "%s: %s %.4g, %s %.4g", t->rows[r].label, t->metric,
                 table_at(t, r, col)->mean * t->scale, x->metric, table_at(x, r, col)->mean * x->scale);
        svg_tip_begin(p->s, tip);
        svg_circle(p->s, at, radius_of(b, r, col), series_class(r, "bubble", text, sizeof text));
        svg_tip_end(p->s);
    }
    place_names(b, p, col);
}

/* Three bubbles with what their sizes mean. */
static void draw_sizes(const bubbles *b, svg *s, double top)
{
    double x = 12 + RADIUS_MOST;
    char text[80];
    for (int i = 0; i < 3; i++) {
        double value = b->largest / pow(4, i), radius = fmax(RADIUS_LEAST, RADIUS_MOST * sqrt(value / b->largest));
        svg_circle(s, (svg_point){x, top + 20}, radius, "error");
        snprintf(text, sizeof text, "%.3g", value);
        svg_text(s, (svg_point){x + radius + 5, top + 24}, SVG_START, "tick", text);
        x += radius * 2 + 24 + svg_text_width(text);
    }
    svg_text(s, (svg_point){x, top + 24}, SVG_START, "label", b->in->size->metric);
}

static void find_scales(bubbles *b)
{
    const table *t = b->in->t, *x = b->in->x;
    b->x = axis_empty(needs_log(x));
    b->y = axis_empty(false);
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        if (isnan(t->cells[i].mean) || isnan(x->cells[i].mean)) continue;
        axis_include(&b->x, x->cells[i].mean * x->scale);
        axis_include(&b->y, t->cells[i].mean * t->scale);
        double size = fits(t, b->in->size) ? b->in->size->cells[i].mean : 0;
        if (size > b->largest) b->largest = size;
    }
    axis_round(&b->x);
    axis_round(&b->y);
}

/* Whether a legend is needed is known before its room is. */
static void try_names(bubbles *b)
{
    b->named = true;
    for (int64_t c = 0; c < b->in->t->col_count; c++) {
        panel p = {.size = {GRID_INNER_WIDE, GRID_INNER_HIGH}, .x = b->x, .y = b->y, .inset = RADIUS_MOST};
        panel_place(&p, true);
        place_names(b, &p, c);
    }
}

static void draw(bubbles *b, FILE *out)
{
    const table *t = b->in->t;
    char title[300], caption[300], label[120], cost[120];
    grid g = {.s.out = out, .count = t->col_count, .margin = 10};
    double wide = (PANEL_LEFT + GRID_INNER_WIDE + 20) * fmin(GRID_PER_LINE, (double)g.count);
    double sizes = b->largest > 0 ? SIZES_HIGH : 0;
    snprintf(title, sizeof title, "%s: %s against %s", t->experiment, t->metric, b->in->x->metric);
    words_of_caption(t, caption, sizeof caption);
    bool legend = !b->named;
    grid_begin(&g, b->in->alone, sizes + (legend ? legend_height(t, fmax(wide, 420)) : 0),
               &(grid_texts){title, caption});
    panel_metric(t, label, sizeof label);
    panel_metric(b->in->x, cost, sizeof cost);
    if (strcmp(cost, "seconds") == 0) snprintf(cost, sizeof cost, "seconds per run");
    for (int64_t c = 0; c < t->col_count; c++) {
        panel p = grid_panel(&g, c);
        p.x = b->x;
        p.y = b->y;
        p.inset = RADIUS_MOST;
        panel_draw(&p, true, &(panel_texts){t->cols[c].label, cost, label});
        draw_bubbles(b, &p, c);
    }
    if (sizes > 0) draw_sizes(b, &g.s, g.legend_from);
    if (legend) legend_draw(&g.s, t, g.legend_from + sizes);
    svg_end(&g.s);
}

cru_status plot_scatter(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t, *x = in->x;
    bool drawable = false;
    for (int64_t i = 0; fits(t, x) && i < t->row_count * t->col_count; i++)
        drawable |= t->cells[i].mark == TABLE_VALUE && !isnan(x->cells[i].mean);
    if (!drawable)
        return cru_fail(err, CRU_UNSUPPORTED, "no finished trial has both a value of %s and one of %s",
                        x ? x->metric : "a cost", t->metric);
    bubbles b = {.in = in};
    find_scales(&b);
    try_names(&b);
    draw(&b, out);
    return CRU_OK;
}
