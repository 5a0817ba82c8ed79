// SPDX-License-Identifier: Apache-2.0
/* panel.h: axes, panels, labels and legends, what all plots share. */
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
    const char *const *names; /* of the places 0, 1, ... of an axis of names; NULL: numbers */
    int64_t name_count;
} axis;

enum { AXIS_TICKS = 12 };

/* An axis without values, to be widened by axis_include. */
axis axis_empty(bool log);

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
    double inset; /* between the frame and the ends of the axes, for what is drawn around points */
} panel;

/* What is written around a panel: the title on top, the title of the y axis below it, both from the left edge on, so
 * that nothing touches. */
typedef struct panel_texts {
    const char *title, *x, *y;
} panel_texts;

enum { PANEL_LEFT = 60, PANEL_TOP = 46, PANEL_BELOW = 46 };

/* Sets the pixels of both axes. */
void panel_place(panel *p, bool numeric_x);

/* Places the panel and draws frame, grid, ticks of y (and of x when `numeric_x`), title and labels. */
void panel_draw(panel *p, bool numeric_x, const panel_texts *texts);

/* The classes of a series: its colour, and a dash when the colours have been used up. */
const char *series_class(int64_t series, const char *shape, char *text, size_t size);

/* ---- labels beside what they name ---- */

typedef struct label_spot {
    double want, at; /* where it should be, and where it can be */
    int64_t series;
    const char *text;
} label_spot;

enum { LABEL_GAP = 14, LABEL_MOST = 24 }; /* pixels between lines; columns of a name */

/* Moves the labels of one side as little as needed so that none covers another; all stay within low..high when there is
 * room. Sorts them. */
void labels_spread(label_spot *spots, int64_t count, double low, double high);

/* Draws them at x, each in the ink of its text with a small mark of its series. */
void labels_draw(svg *s, const label_spot *spots, int64_t count, double x, svg_anchor anchor);

/* Whether the rows of a table can be named beside their lines rather than in a legend; *width: what the names take. */
bool labels_fit(const table *t, double height, double *width);

/* A label near a point that covers neither other labels nor points. */
typedef struct label_map label_map;
label_map *label_map_create(svg_point low, svg_point high);
void label_map_destroy(label_map *m);
void label_map_block(label_map *m, svg_point centre, double radius);
/* Draws it, when there is a picture, and returns true, or finds no room. */
bool label_map_put(label_map *m, svg *s, svg_point at, double radius, const char *text);

/* ---- legends ---- */

/* Height that the legend of the table's rows takes in a picture of that width, and drawing it. */
double legend_height(const table *t, double width);
void legend_draw(svg *s, const table *t, double top);

/* A legend of any names. */
typedef struct legend_names {
    const char *const *names;
    int64_t count;
} legend_names;
double legend_names_height(const legend_names *names, double width);
void legend_names_draw(svg *s, const legend_names *names, double top);

/* A bar of the colours of svg_heat or svg_diverging with the numbers at its ends; 200 wide. */
typedef struct colour_bar {
    double low, high;
    bool diverging; /* about 0 */
    const char *label;
} colour_bar;
enum { COLOUR_BAR_HEIGHT = 44 };
void colour_bar_draw(svg *s, const colour_bar *bar, svg_point corner);

/* "accuracy (%)" */
void panel_metric(const table *t, char *text, size_t size);

/* A value as the table prints it. */
void panel_value(const table *t, double value, char *text, size_t size);

/* "no finished trial of ... has a value of ..." when the table is empty. */
cru_status panel_need_values(const table *t, cru_error *err);

#endif
