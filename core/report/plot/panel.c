// SPDX-License-Identifier: Apache-2.0
#include "report/plot/panel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"

/* ---- axes ------------------------------------------------------------------------------------------------ */

axis axis_empty(bool log)
{
    return (axis){.low = INFINITY, .high = -INFINITY, .log = log};
}

void axis_include(axis *a, double value)
{
    if (!isfinite(value) || (a->log && value <= 0)) return;
    a->low = fmin(a->low, value);
    a->high = fmax(a->high, value);
}

/* The smallest of 1, 2, 5 times a power of 10 that divides the range into at most 8 parts. */
static double tick_step(const axis *a)
{
    double power = pow(10, floor(log10((a->high - a->low) / 8)));
    double ratio = (a->high - a->low) / 8 / power;
    return power * (ratio <= 1 ? 1 : ratio <= 2 ? 2 : ratio <= 5 ? 5 : 10);
}

void axis_round(axis *a)
{
    if (a->log) {
        if (!(a->low <= a->high)) *a = (axis){.low = 1, .high = 10, .log = true, .from = a->from, .to = a->to};
        a->low = pow(10, floor(log10(a->low)));
        a->high = pow(10, fmax(ceil(log10(a->high)), log10(a->low) + 1));
        return;
    }
    if (!(a->low <= a->high)) {
        a->low = 0;
        a->high = 1;
    }
    if (a->low == a->high) {
        double room = a->low == 0 ? 1 : fabs(a->low) / 10;
        a->low -= room;
        a->high += room;
    }
    a->step = tick_step(a);
    a->low = a->step * floor(a->low / a->step + 1e-9);
    a->high = a->step * ceil(a->high / a->step - 1e-9);
}

double axis_at(const axis *a, double value)
{
    double share = a->log ? log(value / a->low) / log(a->high / a->low) : (value - a->low) / (a->high - a->low);
    return a->from + share * (a->to - a->from);
}

int axis_ticks(const axis *a, double ticks[AXIS_TICKS])
{
    int count = 0;
    double step = a->log ? 0 : a->step;
    for (int i = 0; count < AXIS_TICKS; i++) {
        double tick = a->log ? a->low * pow(10, i) : a->low + i * step;
        if (tick > a->high * (a->log ? 1.001 : 1) + step / 1000) break;
        ticks[count++] = fabs(tick) < step / 1000 ? 0 : tick;
    }
    return count;
}

/* ---- panels ---------------------------------------------------------------------------------------------- */

static void tick_text(double value, char *text, size_t size)
{
    snprintf(text, size, "%.6g", value);
}

static void draw_names(const panel *p)
{
    double bottom = p->corner.y + p->size.y, free_from = -INFINITY;
    for (int64_t i = 0; i < p->x.name_count; i++) {
        char text[80];
        double at = axis_at(&p->x, (double)i);
        svg_short(p->x.names[i], 16, text, sizeof text);
        svg_line(p->s, (svg_point){at, p->corner.y}, (svg_point){at, bottom}, "grid");
        double half = svg_text_width(text) / 2;
        if (at - half < free_from) continue;
        svg_text(p->s, (svg_point){at, bottom + 16}, SVG_MIDDLE, "tick", text);
        free_from = at + half + 4;
    }
}

static void draw_x_ticks(const panel *p)
{
    double ticks[AXIS_TICKS], free_from = -INFINITY;
    int count = axis_ticks(&p->x, ticks);
    double bottom = p->corner.y + p->size.y;
    for (int i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(&p->x, ticks[i]);
        tick_text(ticks[i], text, sizeof text);
        svg_line(p->s, (svg_point){at, p->corner.y}, (svg_point){at, bottom}, "grid");
        double half = svg_text_width(text) / 2;
        if (at - half < free_from) continue;
        svg_text(p->s, (svg_point){at, bottom + 16}, SVG_MIDDLE, "tick", text);
        free_from = at + half + 4;
    }
}

static void draw_y_ticks(const panel *p)
{
    double ticks[AXIS_TICKS];
    int count = axis_ticks(&p->y, ticks);
    for (int i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(&p->y, ticks[i]);
        tick_text(ticks[i], text, sizeof text);
        svg_line(p->s, (svg_point){p->corner.x, at}, (svg_point){p->corner.x + p->size.x, at}, "grid");
        svg_text(p->s, (svg_point){p->corner.x - 6, at + 4}, SVG_END, "tick", text);
    }
}

void panel_place(panel *p, bool numeric_x)
{
    double inset = fmax(p->inset, p->x.names ? 20 : numeric_x ? 8 : 0);
    p->x.from = p->corner.x + inset;
    p->x.to = p->corner.x + p->size.x - inset;
    p->y.from = p->corner.y + p->size.y - p->inset;
    p->y.to = p->corner.y + p->inset;
}

void panel_draw(panel *p, bool numeric_x, const panel_texts *texts)
{
    char text[200];
    double right = p->corner.x + p->size.x, bottom = p->corner.y + p->size.y;
    int64_t most = (int64_t)((p->size.x + 40) / 7.2);
    panel_place(p, numeric_x);
    draw_y_ticks(p);
    if (p->x.names)
        draw_names(p);
    else if (numeric_x)
        draw_x_ticks(p);
    const svg_point edges[] = {{p->corner.x, p->corner.y}, {p->corner.x, bottom}, {right, bottom}};
    svg_polyline(p->s, edges, 3, "axis");
    svg_short(texts->title, most, text, sizeof text);
    svg_text(p->s, (svg_point){p->corner.x - 44, p->corner.y - 28}, SVG_START, "title", text);
    svg_text(p->s, (svg_point){p->corner.x + p->size.x / 2, bottom + 34}, SVG_MIDDLE, "label", texts->x);
    svg_text(p->s, (svg_point){p->corner.x - 44, p->corner.y - 11}, SVG_START, "label", texts->y);
}

const char *series_class(int64_t series, const char *shape, char *text, size_t size)
{
    snprintf(text, size, "%s s%lld%s", shape, (long long)(series % SVG_COLOURS), series >= SVG_COLOURS ? " again" : "");
    return text;
}

void panel_metric(const table *t, char *text, size_t size)
{
    const char *unit = t->minus ? " (points)" : " (%)";
    snprintf(text, size, "%s%s%s%s", t->metric, t->minus ? " less that of " : "", t->minus ? t->minus : "",
             t->scale == 100 ? unit : "");
}

void panel_value(const table *t, double value, char *text, size_t size)
{
    snprintf(text, size, "%.*f", t->digits > 2 ? t->digits : t->scale == 100 ? 1 : t->digits, value * t->scale);
}

cru_status panel_need_values(const table *t, cru_error *err)
{
    for (int64_t i = 0; i < t->row_count * t->col_count; i++) {
        if (t->cells[i].mark == TABLE_VALUE) return CRU_OK;
    }
    return cru_fail(err, CRU_UNSUPPORTED, "no finished trial of '%s' has a value of %s to draw", t->experiment,
                    t->metric);
}

/* ---- labels ---------------------------------------------------------------------------------------------- */

static int by_want(const void *a, const void *b)
{
    const label_spot *x = a, *y = b;
    if (x->want != y->want) return x->want < y->want ? -1 : 1;
    return (x->series > y->series) - (x->series < y->series);
}

void labels_spread(label_spot *spots, int64_t count, double low, double high)
{
    qsort(spots, (size_t)count, sizeof *spots, by_want);
    double floor_at = low;
    for (int64_t i = 0; i < count; i++) {
        spots[i].at = fmax(spots[i].want, floor_at);
        floor_at = spots[i].at + LABEL_GAP;
    }
    double ceiling = fmax(high, low + LABEL_GAP * (double)(count - 1));
    for (int64_t i = count - 1; i >= 0; i--) {
        spots[i].at = fmin(spots[i].at, ceiling);
        ceiling = spots[i].at - LABEL_GAP;
    }
}

void labels_draw(svg *s, const label_spot *spots, int64_t count, double x, svg_anchor anchor)
{
    double side = anchor == SVG_END ? -1 : 1;
    for (int64_t i = 0; i < count; i++) {
        char text[120], class[40];
        svg_short(spots[i].text, LABEL_MOST, text, sizeof text);
        svg_line(s, (svg_point){x, spots[i].want}, (svg_point){x + side * 8, spots[i].at},
                 series_class(spots[i].series, "thin", class, sizeof class));
        svg_circle(s, (svg_point){x + side * 12, spots[i].at}, 3,
                   series_class(spots[i].series, "fill", class, sizeof class));
        svg_text(s, (svg_point){x + side * 18, spots[i].at + 4}, anchor, "entry", text);
    }
}

bool labels_fit(const table *t, double height, double *width)
{
    *width = 0;
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[120];
        *width = fmax(*width, 26 + svg_text_width(svg_short(t->rows[r].label, LABEL_MOST, text, sizeof text)));
    }
    return LABEL_GAP * (double)t->row_count <= height;
}

enum { MAP_MOST = 512 };

typedef struct label_box {
    svg_point low, high;
} label_box;

struct label_map {
    label_box all, taken[MAP_MOST];
    int count;
};

label_map *label_map_create(svg_point low, svg_point high)
{
    label_map *m = calloc(1, sizeof *m);
    if (!m) cru_panic(CRU_NO_MEMORY, "plot: no memory for labels");
    m->all = (label_box){low, high};
    return m;
}

void label_map_destroy(label_map *m)
{
    free(m);
}

void label_map_block(label_map *m, svg_point centre, double radius)
{
    if (m->count == MAP_MOST) return;
    m->taken[m->count++] = (label_box){{centre.x - radius, centre.y - radius}, {centre.x + radius, centre.y + radius}};
}

static bool is_free(const label_map *m, const label_box *box)
{
    if (m->count == MAP_MOST || box->low.x < m->all.low.x || box->low.y < m->all.low.y || box->high.x > m->all.high.x ||
        box->high.y > m->all.high.y)
        return false;
    for (int i = 0; i < m->count; i++) {
        const label_box *t = &m->taken[i];
        if (box->low.x < t->high.x && t->low.x < box->high.x && box->low.y < t->high.y && t->low.y < box->high.y)
            return false;
    }
    return true;
}

bool label_map_put(label_map *m, svg *s, svg_point at, double radius, const char *text)
{
    char name[120];
    double width = svg_text_width(svg_short(text, LABEL_MOST, name, sizeof name));
    const double reach = radius + 3;
    /* right, left, above, below, then the corners: the lower left corner of the text */
    const svg_point tries[] = {{at.x + reach, at.y + 4},
                               {at.x - reach - width, at.y + 4},
                               {at.x - width / 2, at.y - reach},
                               {at.x - width / 2, at.y + reach + 10},
                               {at.x + reach * 0.7, at.y - reach * 0.7},
                               {at.x + reach * 0.7, at.y + reach * 0.7 + 10},
                               {at.x - reach * 0.7 - width, at.y - reach * 0.7},
                               {at.x - reach * 0.7 - width, at.y + reach * 0.7 + 10}};
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        label_box box = {{tries[i].x, tries[i].y - 10}, {tries[i].x + width, tries[i].y + 3}};
        if (!is_free(m, &box)) continue;
        m->taken[m->count++] = box;
        if (s) svg_text(s, tries[i], SVG_START, "entry", name);
        return true;
    }
    return false;
}

/* ---- legends --------------------------------------------------------------------------------------------- */

enum { LEGEND_LINE = 20, LEGEND_LEFT = 12 };

/* Walks over the entries as they fall into lines; draws them when there is a picture. Returns the height. */
static double lay_legend(svg *s, const legend_names *n, double width, double top)
{
    double x = LEGEND_LEFT, y = top + LEGEND_LINE;
    for (int64_t i = 0; i < n->count; i++) {
        double wide = 34 + svg_text_width(n->names[i]);
        if (x > LEGEND_LEFT && x + wide > width) {
            x = LEGEND_LEFT;
            y += LEGEND_LINE;
        }
        char text[40];
        if (s) {
            svg_line(s, (svg_point){x, y - 4}, (svg_point){x + 18, y - 4}, series_class(i, "line", text, sizeof text));
            svg_circle(s, (svg_point){x + 9, y - 4}, 4, series_class(i, "fill", text, sizeof text));
            svg_text(s, (svg_point){x + 24, y}, SVG_START, "entry", n->names[i]);
        }
        x += wide;
    }
    return y - top + LEGEND_LINE / 2.0;
}

double legend_names_height(const legend_names *names, double width)
{
    return lay_legend(NULL, names, width, 0);
}

void legend_names_draw(svg *s, const legend_names *names, double top)
{
    lay_legend(s, names, s->width, top);
}

static const char **row_names(const table *t)
{
    const char **names = malloc(((size_t)t->row_count + 1) * sizeof *names);
    if (!names) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld names", (long long)t->row_count);
    for (int64_t r = 0; r < t->row_count; r++) names[r] = t->rows[r].label;
    return names;
}

double legend_height(const table *t, double width)
{
    const char **names = row_names(t);
    double height = lay_legend(NULL, &(legend_names){names, t->row_count}, width, 0);
    free(names);
    return height;
}

void legend_draw(svg *s, const table *t, double top)
{
    const char **names = row_names(t);
    lay_legend(s, &(legend_names){names, t->row_count}, s->width, top);
    free(names);
}

void colour_bar_draw(svg *s, const colour_bar *bar, svg_point corner)
{
    enum { WIDE = 200, STEPS = 50 };
    char low[32], high[32];
    for (int i = 0; i < STEPS; i++) {
        svg_colour colour;
        double share = (i + 0.5) / STEPS;
        if (bar->diverging)
            svg_diverging(2 * share - 1, colour);
        else
            svg_heat(share, colour);
        svg_rect_ink(s, (svg_point){corner.x + i * (double)WIDE / STEPS, corner.y + 4},
                     (svg_point){(double)WIDE / STEPS + (i + 1 < STEPS ? 1 : 0), 10}, colour);
    }
    snprintf(low, sizeof low, "%.4g", bar->low);
    snprintf(high, sizeof high, "%.4g", bar->high);
    svg_text(s, (svg_point){corner.x, corner.y + 28}, SVG_START, "tick", low);
    svg_text(s, (svg_point){corner.x + WIDE, corner.y + 28}, SVG_END, "tick", high);
    svg_text(s, (svg_point){corner.x + WIDE + 10, corner.y + 14}, SVG_START, "label", bar->label);
}
