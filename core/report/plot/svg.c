// SPDX-License-Identifier: Apache-2.0
#include "report/plot/svg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/escape.h"

/* Colours that are told apart with any kind of colour vision (Okabe and Ito, 2008; two are darkened). */
static const char *const colours[SVG_COLOURS] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                                 "#56b4e9", "#d55e00", "#8a7d00", "#7f7f7f"};

#define SHAPES                                                                                                         \
    ".plot .title{font-weight:600}\n"                                                                                  \
    ".plot .axis{stroke-width:1;fill:none}\n"                                                                          \
    ".plot .grid{stroke-width:1}\n"                                                                                    \
    ".plot .error{stroke-width:1.2;fill:none}\n"                                                                       \
    ".plot .clique{stroke-width:4;stroke-linecap:round}\n"                                                             \
    ".plot .line{stroke-width:2;fill:none}\n"                                                                          \
    ".plot .band{opacity:.18}\n"                                                                                       \
    ".plot .box{fill-opacity:.35;stroke-width:1.5}\n"                                                                  \
    ".plot .again{stroke-dasharray:5 3}\n"                                                                             \
    ".plot .dash1{stroke-dasharray:6 3}.plot .dash2{stroke-dasharray:2 3}.plot .dash3{stroke-dasharray:8 3 2 3}\n"     \
    ".plot .thin{stroke-width:1;fill:none;opacity:.45}\n"                                                              \
    ".plot .bubble{fill-opacity:.55;stroke-width:1.5}\n"                                                               \
    ".plot .dot{fill-opacity:.85}\n"                                                                                   \
    ".plot .small{font-size:10px}\n"                                                                                   \
    ".plot .onlight{fill:#1f2328}.plot .ondark{fill:#ffffff}\n"

/* In a page: colours by variables, for light and dark. */
static const char page_style[] =
    ".plot{--ink:#1f2328;--faint:#d0d7de;--paper:#fff;font:12px system-ui,sans-serif}\n"
    "@media (prefers-color-scheme:dark){.plot{--ink:#e6edf3;--faint:#3d444d;--paper:#0d1117}}\n"
    ".plot text{fill:var(--ink)}\n"
    ".plot .axis,.plot .error,.plot .clique{stroke:var(--ink)}\n"
    ".plot .grid{stroke:var(--faint)}\n"
    ".plot .point{fill:var(--ink);stroke:var(--paper);stroke-width:.7}\n"
    ".plot .halo{paint-order:stroke;stroke:var(--paper);stroke-width:3px}\n" SHAPES;

/* A file of its own: no variables, which few programs besides browsers know, and dark ink on white. */
static const char file_style[] = ".plot{font:12px system-ui,sans-serif}\n"
                                 ".plot text{fill:#1f2328}\n"
                                 ".plot .axis,.plot .error,.plot .clique{stroke:#1f2328}\n"
                                 ".plot .grid{stroke:#d0d7de}\n"
                                 ".plot .point{fill:#1f2328;stroke:#ffffff;stroke-width:.7}\n"
                                 ".plot .halo{paint-order:stroke;stroke:#ffffff;stroke-width:3px}\n" SHAPES;

void svg_style(FILE *out, bool alone)
{
    fputs(alone ? file_style : page_style, out);
    for (int i = 0; i < SVG_COLOURS; i++)
        fprintf(out,
                ".plot .line.s%d,.plot .thin.s%d{stroke:%s}.plot .fill.s%d,.plot .band.s%d,.plot .dot.s%d{fill:%s}"
                ".plot .box.s%d,.plot .bubble.s%d{fill:%s;stroke:%s}\n",
                i, i, colours[i], i, i, i, colours[i], i, i, colours[i], colours[i]);
}

void svg_begin(svg *s, bool alone, const char *title, const char *description)
{
    fprintf(s->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"plot\" role=\"img\" width=\"%.0f\" height=\"%.0f\" "
            "viewBox=\"0 0 %.0f %.0f\" aria-label=\"",
            s->width, s->height, s->width, s->height);
    escape_html(s->out, title);
    fputs("\">\n<title>", s->out);
    escape_html(s->out, title);
    fputs("</title>\n<desc>", s->out);
    escape_html(s->out, description);
    fputs("</desc>\n", s->out);
    if (alone) {
        fputs("<style>\n", s->out);
        svg_style(s->out, true);
        fputs("</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n", s->out);
    }
}

void svg_end(svg *s)
{
    fputs("</svg>\n", s->out);
}

void svg_line(svg *s, svg_point from, svg_point to, const char *classes)
{
    fprintf(s->out, "<line class=\"%s\" x1=\"%.2f\" y1=\"%.2f\" x2=\"%.2f\" y2=\"%.2f\"/>\n", classes, from.x, from.y,
            to.x, to.y);
}

void svg_rect(svg *s, svg_point corner, svg_point size, const char *classes)
{
    fprintf(s->out, "<rect class=\"%s\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>\n", classes, corner.x,
            corner.y, size.x, size.y);
}

void svg_circle(svg *s, svg_point centre, double radius, const char *classes)
{
    fprintf(s->out, "<circle class=\"%s\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\"/>\n", classes, centre.x, centre.y, radius);
}

void svg_text(svg *s, svg_point at, svg_anchor anchor, const char *classes, const char *text)
{
    static const char *const anchors[] = {"start", "middle", "end"};
    fprintf(s->out, "<text class=\"%s\" x=\"%.2f\" y=\"%.2f\" text-anchor=\"%s\">", classes, at.x, at.y,
            anchors[anchor]);
    escape_html(s->out, text);
    fputs("</text>\n", s->out);
}

void svg_rect_ink(svg *s, svg_point corner, svg_point size, const char *colour)
{
    fprintf(s->out, "<rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\" fill=\"%s\"/>\n", corner.x, corner.y,
            size.x, size.y, colour);
}

void svg_circle_ink(svg *s, svg_point centre, double radius, const char *colour)
{
    fprintf(s->out, "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" fill=\"%s\"/>\n", centre.x, centre.y, radius, colour);
}

void svg_text_turned(svg *s, svg_point at, svg_anchor anchor, double degrees, const char *classes, const char *text)
{
    fprintf(s->out, "<g transform=\"translate(%.2f %.2f) rotate(%.0f)\">", at.x, at.y, degrees);
    svg_text(s, (svg_point){0, 0}, anchor, classes, text);
    fputs("</g>\n", s->out);
}

double svg_text_width(const char *text)
{
    return 7.2 * (double)escape_width(text);
}

const char *svg_short(const char *text, int64_t most, char *out, size_t size)
{
    snprintf(out, size, "%s", text);
    while (escape_width(out) > most && *out) {
        size_t end = strlen(out) - 1;
        while (end > 0 && ((unsigned char)out[end] & 0xc0) == 0x80) end--;
        out[end] = '\0';
    }
    if (strlen(out) < strlen(text) && strlen(out) + 4 <= size) strcat(out, "…");
    return out;
}

/* ---- colours --------------------------------------------------------------------------------------------- */

/* Between the corners of a list of colours; at is 0..count-1. */
static void blend(const unsigned char corners[][3], int count, double at, svg_colour out)
{
    int low = (int)fmin(floor(at), count - 2);
    unsigned rgb[3];
    for (int i = 0; i < 3; i++)
        rgb[i] = (unsigned)lround(corners[low][i] + (at - low) * (corners[low + 1][i] - corners[low][i])) & 255u;
    snprintf(out, sizeof(svg_colour), "#%02x%02x%02x", rgb[0], rgb[1], rgb[2]);
}

void svg_heat(double share, svg_colour out)
{
    /* eleven corners of a scale of even lightness from blue to yellow, after "cividis" (Nuñez et al., 2018) */
    static const unsigned char corners[][3] = {{0, 34, 78},     {18, 53, 112},   {59, 73, 108},   {87, 93, 109},
                                               {112, 113, 115}, {138, 134, 120}, {165, 156, 116}, {195, 179, 105},
                                               {225, 204, 85},  {247, 225, 67},  {254, 232, 56}};
    if (isnan(share))
        snprintf(out, sizeof(svg_colour), "#b0b0b0");
    else
        blend(corners, 11, 10 * fmin(1, fmax(0, share)), out);
}

void svg_diverging(double value, svg_colour out)
{
    static const unsigned char corners[][3] = {
        {179, 88, 6}, {241, 163, 64}, {247, 247, 247}, {103, 169, 207}, {5, 87, 150}};
    if (isnan(value))
        snprintf(out, sizeof(svg_colour), "#b0b0b0");
    else
        blend(corners, 5, 2 + 2 * fmin(1, fmax(-1, value)), out);
}

const char *svg_ink_on(const char *colour)
{
    unsigned long rgb = strtoul(colour + 1, NULL, 16);
    double light = 0.299 * (double)(rgb >> 16) + 0.587 * (double)(rgb >> 8 & 255) + 0.114 * (double)(rgb & 255);
    return light > 140 ? "onlight" : "ondark";
}

const char *svg_series(int64_t series)
{
    return colours[series % SVG_COLOURS];
}

static void put_points(svg *s, const char *element, const svg_point *points, int64_t count, const char *classes)
{
    fprintf(s->out, "<%s class=\"%s\" points=\"", element, classes);
    for (int64_t i = 0; i < count; i++) fprintf(s->out, "%s%.2f,%.2f", i ? " " : "", points[i].x, points[i].y);
    fputs("\"/>\n", s->out);
}

void svg_polyline(svg *s, const svg_point *points, int64_t count, const char *classes)
{
    put_points(s, "polyline", points, count, classes);
}

void svg_polygon(svg *s, const svg_point *points, int64_t count, const char *classes)
{
    put_points(s, "polygon", points, count, classes);
}

void svg_tip_begin(svg *s, const char *tip)
{
    fputs("<g><title>", s->out);
    escape_html(s->out, tip);
    fputs("</title>\n", s->out);
}

void svg_tip_end(svg *s)
{
    fputs("</g>\n", s->out);
}
