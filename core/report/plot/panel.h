// SPDX-License-Identifier: Apache-2.0
/* panel.h: axes, panels and legends, what all plots share. */
#ifndef CORE_REPORT_PANEL_H
#define CORE_REPORT_PANEL_H

#include "report/plot/svg.h"
#include "report/table/table.h"

/* A range of values and the pixels it covers. */
typedef struct axis {
    double low, high;
    bool log;
    double step; /* between ticks of a linear axis; set by axis_round */
    double from, to;
} axis;

enum { AXIS_TICKS = 12 };

/* Widens the range to include a value; NAN and, on a log axis, values that are not positive are ignored. Start with
 * low = INFINITY, high = -INFINITY. */
void axis_include(axis *a, double value);

/* Rounds the range outwards to its ticks; an empty range becomes 0..1, or 1..10 on a log axis. */
void axis_round(axis *a);

double axis_at(const axis *a, double value);

/* Fills `ticks` (1, 2 or 5 times a power of 10; powers of 10 on a log axis) and returns their number. */
int axis_ticks(const axis *a, double ticks[AXIS_TICKS]);

/* A plotting area. */
typedef struct panel {
    svg *s;
    svg_point corner, size;
    axis x, y;
} panel;

/* Sets the pixels of both axes and draws frame, grid, ticks of y (and of x when `numeric_x`), title and labels. */
void panel_draw(panel *p, bool numeric_x, const char *title, const char *x_label, const char *y_label);

/* The classes of a series: its colour, and a dash when the colours have been used up. */
const char *series_class(int64_t series, const char *shape, char *text, size_t size);

/* Height that the legend of the table's rows takes in a picture of that width, and drawing it. */
double legend_height(const table *t, double width);
void legend_draw(svg *s, const table *t, double top);

/* "accuracy (%)" */
void panel_metric(const table *t, char *text, size_t size);

#endif
