// SPDX-License-Identifier: Apache-2.0
#include "report/plot/box.h"

#include <math.h>
#include <stdlib.h>

#include "report/table/stats.h"

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A point by its value and its pixel across. */
static svg_point spot(const panel *p, const box *b, double value, double across)
{
    if (b->lying) return (svg_point){axis_at(&p->x, value), across};
    return (svg_point){across, axis_at(&p->y, value)};
}

void box_error(panel *p, double x, const double ends[2])
{
    double top = axis_at(&p->y, ends[1]), bottom = axis_at(&p->y, ends[0]);
    svg_line(p->s, (svg_point){x, top}, (svg_point){x, bottom}, "error");
    svg_line(p->s, (svg_point){x - 3, top}, (svg_point){x + 3, top}, "error");
    svg_line(p->s, (svg_point){x - 3, bottom}, (svg_point){x + 3, bottom}, "error");
}

static void draw_whisker(panel *p, const box *b, double from, double to)
{
    double middle = (b->from + b->to) / 2;
    if (from == to) return;
    svg_line(p->s, spot(p, b, from, middle), spot(p, b, to, middle), "error");
    svg_line(p->s, spot(p, b, to, middle - 3), spot(p, b, to, middle + 3), "error");
}

static void draw_body(panel *p, const box *b, const double quartiles[3])
{
    svg_point a = spot(p, b, quartiles[0], b->from), c = spot(p, b, quartiles[2], b->to);
    svg_point corner = {fmin(a.x, c.x), fmin(a.y, c.y)}, size = {fabs(a.x - c.x), fabs(a.y - c.y)};
    svg_point from = spot(p, b, quartiles[1], b->from), to = spot(p, b, quartiles[1], b->to);
    if (!b->colour) {
        svg_rect(p->s, corner, size, b->classes);
        svg_line(p->s, from, to, "error");
        return;
    }
    const char *ink = svg_ink_on(b->colour)[2] == 'd' ? "#ffffff" : "#1f2328";
    svg_rect_ink(p->s, corner, size, b->colour);
    svg_rect_ink(p->s, (svg_point){fmin(from.x, to.x) - (b->lying ? 1 : 0), fmin(from.y, to.y) - (b->lying ? 0 : 1)},
                 (svg_point){fmax(2, fabs(from.x - to.x)), fmax(2, fabs(from.y - to.y))}, ink);
}

void box_draw(panel *p, const box *b)
{
    double *v = b->values, middle = (b->from + b->to) / 2;
    qsort(v, (size_t)b->count, sizeof *v, by_value);
    const double q[] = {stats_quantile(v, b->count, 0.25), stats_quantile(v, b->count, 0.5),
                        stats_quantile(v, b->count, 0.75)};
    double reach = 1.5 * (q[2] - q[0]), low = q[0], high = q[2];
    for (int64_t i = 0; i < b->count; i++) {
        if (v[i] < q[0] - reach || v[i] > q[2] + reach) continue;
        low = fmin(low, v[i]);
        high = fmax(high, v[i]);
    }
    draw_whisker(p, b, q[0], low);
    draw_whisker(p, b, q[2], high);
    draw_body(p, b, q);
    for (int64_t i = 0; i < b->count; i++)
        if (b->count <= BOX_POINTS || v[i] < low || v[i] > high) svg_circle(p->s, spot(p, b, v[i], middle), 2, "point");
}
