// SPDX-License-Identifier: Apache-2.0
#include "report/plot/panel.h"

#include <math.h>

#include "report/format/escape.h"

/* ---- axes ------------------------------------------------------------------------------------------------ */

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

static void draw_ticks(const panel *p, const axis *a, bool horizontal)
{
    double ticks[AXIS_TICKS];
    int count = axis_ticks(a, ticks);
    double right = p->corner.x + p->size.x, bottom = p->corner.y + p->size.y;
    for (int i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(a, ticks[i]);
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        if (horizontal) {
            svg_line(p->s, (svg_point){at, p->corner.y}, (svg_point){at, bottom}, "grid");
            svg_text(p->s, (svg_point){at, bottom + 16}, SVG_MIDDLE, "tick", text);
        } else {
            svg_line(p->s, (svg_point){p->corner.x, at}, (svg_point){right, at}, "grid");
            svg_text(p->s, (svg_point){p->corner.x - 6, at + 4}, SVG_END, "tick", text);
        }
    }
}

void panel_draw(panel *p, bool numeric_x, const char *title, const char *x_label, const char *y_label)
{
    double right = p->corner.x + p->size.x, bottom = p->corner.y + p->size.y;
    p->x.from = p->corner.x + (numeric_x ? 8 : 0);
    p->x.to = right - (numeric_x ? 8 : 0);
    p->y.from = bottom;
    p->y.to = p->corner.y;
    draw_ticks(p, &p->y, false);
    if (numeric_x) draw_ticks(p, &p->x, true);
    const svg_point edges[] = {{p->corner.x, p->corner.y}, {p->corner.x, bottom}, {right, bottom}};
    svg_polyline(p->s, edges, 3, "axis");
    svg_text(p->s, (svg_point){p->corner.x + p->size.x / 2, p->corner.y - 8}, SVG_MIDDLE, "title", title);
    svg_text(p->s, (svg_point){p->corner.x + p->size.x / 2, bottom + 34}, SVG_MIDDLE, "label", x_label);
    svg_text(p->s, (svg_point){p->corner.x - 40, p->corner.y - 8}, SVG_START, "label", y_label);
}

const char *series_class(int64_t series, const char *shape, char *text, size_t size)
{
    snprintf(text, size, "%s s%lld%s", shape, (long long)(series % SVG_COLOURS), series >= SVG_COLOURS ? " again" : "");
    return text;
}

void panel_metric(const table *t, char *text, size_t size)
{
    snprintf(text, size, "%s%s", t->metric, t->scale == 100 ? " (%)" : "");
}

/* ---- legends --------------------------------------------------------------------------------------------- */

enum { LEGEND_LINE = 20, LEGEND_LEFT = 12 };

static double entry_width(const table_head *row)
{
    return 34 + 7 * (double)escape_width(row->label);
}

/* Walks over the entries as they fall into lines; draws them when there is a picture. Returns the height. */
static double lay_legend(svg *s, const table *t, double width, double top)
{
    double x = LEGEND_LEFT, y = top + LEGEND_LINE;
    for (int64_t r = 0; r < t->row_count; r++) {
        double wide = entry_width(&t->rows[r]);
        if (x > LEGEND_LEFT && x + wide > width) {
            x = LEGEND_LEFT;
            y += LEGEND_LINE;
        }
        char text[40];
        if (s) {
            svg_line(s, (svg_point){x, y - 4}, (svg_point){x + 18, y - 4}, series_class(r, "line", text, sizeof text));
            svg_circle(s, (svg_point){x + 9, y - 4}, 4, series_class(r, "fill", text, sizeof text));
            svg_text(s, (svg_point){x + 24, y}, SVG_START, "entry", t->rows[r].label);
        }
        x += wide;
    }
    return y - top + LEGEND_LINE / 2.0;
}

double legend_height(const table *t, double width)
{
    return lay_legend(NULL, t, width, 0);
}

void legend_draw(svg *s, const table *t, double top)
{
    lay_legend(s, t, s->width, top);
}
