// SPDX-License-Identifier: Apache-2.0
/* svg.h: a tiny drawing layer. Looks come from classes (svg_style), geometry from here. */
#ifndef CORE_REPORT_SVG_H
#define CORE_REPORT_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef struct svg {
    FILE *out;
    double width, height;
} svg;

typedef enum svg_anchor { SVG_START, SVG_MIDDLE, SVG_END } svg_anchor;

/* The CSS of the classes. A page includes it once, readable on light and dark ground; a file of its own has it inside,
 * in the simple CSS that every program that draws SVG knows. */
void svg_style(FILE *out, bool alone);

enum { SVG_COLOURS = 8 };

/* Title and description are what a screen reader says. `alone`: a file of its own. */
void svg_begin(svg *s, bool alone, const char *title, const char *description);
void svg_end(svg *s);

typedef struct svg_point {
    double x, y;
} svg_point;

/* Classes are fixed words of this program; texts may be anything. */
void svg_line(svg *s, svg_point from, svg_point to, const char *classes);
void svg_rect(svg *s, svg_point corner, svg_point size, const char *classes);
void svg_circle(svg *s, svg_point centre, double radius, const char *classes);
void svg_text(svg *s, svg_point at, svg_anchor anchor, const char *classes, const char *text);
void svg_polyline(svg *s, const svg_point *points, int64_t count, const char *classes);
void svg_polygon(svg *s, const svg_point *points, int64_t count, const char *classes);

/* What is drawn between the two shows `tip` under the pointer. */
void svg_tip_begin(svg *s, const char *tip);
void svg_tip_end(svg *s);

#endif
