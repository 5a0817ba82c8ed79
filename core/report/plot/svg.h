// SPDX-License-Identifier: Apache-2.0
/* svg.h: a tiny drawing layer. Looks come from classes (svg_style), geometry from here. */
#ifndef CORE_REPORT_SVG_H
#define CORE_REPORT_SVG_H

#include <stdbool.h>
#include <stddef.h>
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
/* In a colour of its own ("#rrggbb"), where a number and not a series decides it. */
void svg_rect_ink(svg *s, svg_point corner, svg_point size, const char *colour);
void svg_circle_ink(svg *s, svg_point centre, double radius, const char *colour);
/* Turned about its anchor by degrees, clockwise. */
void svg_text_turned(svg *s, svg_point at, svg_anchor anchor, double degrees, const char *classes, const char *text);
void svg_polyline(svg *s, const svg_point *points, int64_t count, const char *classes);
void svg_polygon(svg *s, const svg_point *points, int64_t count, const char *classes);

/* About how wide a text is; fonts differ, so this is more than most take. */
double svg_text_width(const char *text);

/* A text cut to at most `most` columns with "…" at its end. */
const char *svg_short(const char *text, int64_t most, char *out, size_t size);

/* ---- colours ---- */

typedef char svg_colour[8]; /* "#rrggbb" */

/* From dark blue (0) over green to yellow (1), of evenly rising lightness: told apart with any kind of colour vision
 * and in print without colours. NAN is grey. */
void svg_heat(double share, svg_colour out);

/* From orange (-1) over white (0) to blue (1). NAN is grey. */
void svg_diverging(double value, svg_colour out);

/* The class for text on such a ground: "ondark" or "onlight". */
const char *svg_ink_on(const char *colour);

/* The colour of a series. */
const char *svg_series(int64_t series);

/* What is drawn between the two shows `tip` under the pointer. */
void svg_tip_begin(svg *s, const char *tip);
void svg_tip_end(svg *s);

#endif
