// SPDX-License-Identifier: Apache-2.0
#include "report/plot/learning.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/plot/panel.h"

enum { WIDE = 420, HIGH = 260, LEFT = 60, TOP = 50, GAP = 80, BELOW = 46, LINE = 18, SERIES_MOST = 32 };

typedef struct area {
    svg *s;
    double left, top;
    axis x, y;
} area;

typedef struct series_list {
    const char *names[SERIES_MOST];
    int count;
} series_list;

/* The number of a series; those that are too many share the last. */
static int series_of(series_list *list, const char *name)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->names[i], name) == 0) return i;
    if (list->count == SERIES_MOST) return SERIES_MOST - 1;
    list->names[list->count] = name;
    return list->count++;
}

static const double *values_of(const learning_curve *c, bool loss)
{
    return loss ? c->loss : c->validation;
}

static area measure(const learning_plot *p, bool loss)
{
    area a = {.left = loss ? LEFT : LEFT + WIDE + GAP, .top = TOP};
    a.x = (axis){.low = INFINITY, .high = -INFINITY};
    a.y = a.x;
    for (int64_t i = 0; i < p->count; i++)
        for (int64_t k = 0; k < p->curves[i].count; k++) {
            axis_include(&a.x, (double)p->curves[i].epochs[k]);
            axis_include(&a.y, values_of(&p->curves[i], loss)[k]);
        }
    axis_round(&a.x);
    axis_round(&a.y);
    a.x.from = a.left;
    a.x.to = a.left + WIDE;
    a.y.from = a.top + HIGH;
    a.y.to = a.top;
    return a;
}

static void draw_axes(const area *a, const char *title)
{
    double ticks[AXIS_TICKS];
    char text[32];
    int count = axis_ticks(&a->y, ticks);
    for (int i = 0; i < count; i++) {
        const double at = axis_at(&a->y, ticks[i]);
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        svg_line(a->s, (svg_point){a->left, at}, (svg_point){a->left + WIDE, at}, "grid");
        svg_text(a->s, (svg_point){a->left - 6, at + 4}, SVG_END, "tick", text);
    }
    count = axis_ticks(&a->x, ticks);
    for (int i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        svg_text(a->s, (svg_point){axis_at(&a->x, ticks[i]), a->top + HIGH + 16}, SVG_MIDDLE, "tick", text);
    }
    const svg_point edges[] = {{a->left, a->top}, {a->left, a->top + HIGH}, {a->left + WIDE, a->top + HIGH}};
    svg_polyline(a->s, edges, 3, "axis");
    svg_text(a->s, (svg_point){a->left, a->top - 12}, SVG_START, "title", title);
    svg_text(a->s, (svg_point){a->left + WIDE / 2.0, a->top + HIGH + 34}, SVG_MIDDLE, "label", "epoch");
}

/* A value that is not finite leaves a gap. */
static void draw_curve(const area *a, const learning_curve *c, const double *values, int series)
{
    char classes[64];
    svg_point *points = calloc((size_t)c->count + 1, sizeof *points);
    int64_t count = 0;
    series_class(series, "line", classes, sizeof classes);
    svg_tip_begin(a->s, c->title);
    for (int64_t i = 0; points && i < c->count; i++) {
        if (isfinite(values[i]))
            points[count++] = (svg_point){axis_at(&a->x, (double)c->epochs[i]), axis_at(&a->y, values[i])};
        if (count > 1 && (i + 1 == c->count || !isfinite(values[i]))) svg_polyline(a->s, points, count, classes);
        if (!isfinite(values[i])) count = 0;
    }
    svg_tip_end(a->s);
    free(points);
}

static void draw_legend(svg *s, const series_list *list)
{
    char classes[64];
    for (int i = 0; i < list->count; i++) {
        const double y = TOP + HIGH + BELOW + LINE * (i + 0.5);
        series_class(i, "line", classes, sizeof classes);
        svg_line(s, (svg_point){LEFT, y}, (svg_point){LEFT + 24, y}, classes);
        svg_text(s, (svg_point){LEFT + 32, y + 4}, SVG_START, "label", list->names[i]);
    }
}

void plot_learning(const learning_plot *p, FILE *out)
{
    series_list list = {.count = 0};
    for (int64_t i = 0; i < p->count; i++) series_of(&list, p->curves[i].series);
    svg s = {.out = out, .width = LEFT + 2 * WIDE + GAP + 30, .height = TOP + HIGH + BELOW + LINE * list.count + 10};
    svg_begin(&s, true, p->title, "training loss and validation value over the epochs of training");
    for (int loss = 1; loss >= 0; loss--) {
        area a = measure(p, loss);
        a.s = &s;
        draw_axes(&a, loss ? "training loss" : "validation");
        for (int64_t i = 0; i < p->count; i++)
            draw_curve(&a, &p->curves[i], values_of(&p->curves[i], loss), series_of(&list, p->curves[i].series));
    }
    draw_legend(&s, &list);
    svg_end(&s);
}
