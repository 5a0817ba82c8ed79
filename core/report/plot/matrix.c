// SPDX-License-Identifier: Apache-2.0
#include "report/plot/matrix.h"

#include <math.h>

enum { TOP = 30, LINE = 24, NAME_MOST = 28, TEXT_MOST = 40 };

typedef struct layout {
    double left, wide, top; /* of the cells; width of one */
    bool turned;            /* names of the columns stand upright */
    double low, high;
} layout;

static double widest(const char **names, int64_t count)
{
    double width = 0;
    for (int64_t i = 0; i < count; i++) {
        char text[160];
        width = fmax(width, svg_text_width(svg_short(names[i], NAME_MOST, text, sizeof text)));
    }
    return width;
}

static void cell_text(const matrix *m, int64_t i, char *text, size_t size)
{
    text[0] = '\0';
    if (m->texts && m->texts[i])
        snprintf(text, size, "%s", m->texts[i]);
    else if (!isnan(m->values[i]))
        snprintf(text, size, "%.*f", m->digits, m->values[i]);
}

static layout lay_out(const matrix *m)
{
    layout l = {.left = 16 + widest(m->row_names, m->rows), .low = m->low, .high = m->high};
    double text = 20, names = widest(m->col_names, m->cols);
    for (int64_t i = 0; i < m->rows * m->cols && m->cols <= TEXT_MOST; i++) {
        char words[64];
        cell_text(m, i, words, sizeof words);
        text = fmax(text, 10 + 6.6 * (double)svg_text_width(words) / 7.2);
    }
    l.wide = text;
    l.turned = names + 8 > l.wide && names > 40;
    l.wide = fmax(l.wide, l.turned ? 28 : names + 8);
    if (m->cols > TEXT_MOST) l.wide = 14;
    l.top = TOP + (l.turned ? names * 0.72 + 14 : 20);
    if (m->low == 0 && m->high == 0) {
        l.low = INFINITY;
        l.high = -INFINITY;
        for (int64_t i = 0; i < m->rows * m->cols; i++) {
            if (isnan(m->values[i])) continue;
            l.low = fmin(l.low, m->values[i]);
            l.high = fmax(l.high, m->values[i]);
        }
        if (m->diverging) {
            l.high = fmax(fabs(l.low), fabs(l.high));
            l.low = -l.high;
        }
    }
    return l;
}

static void colour_of(const matrix *m, const layout *l, double value, svg_colour colour)
{
    double range = l->high - l->low, share = range > 0 ? (value - l->low) / range : 0.5;
    if (m->diverging)
        svg_diverging(2 * share - 1, colour);
    else
        svg_heat(isnan(value) ? NAN : share, colour);
}

static void draw_cells(const matrix *m, const layout *l, svg *s)
{
    for (int64_t i = 0; i < m->rows * m->cols; i++) {
        char words[64], tip[400], classes[40];
        svg_colour colour;
        svg_point corner = {l->left + l->wide * (double)(i % m->cols), l->top + LINE * (double)(i / m->cols)};
        cell_text(m, i, words, sizeof words);
        colour_of(m, l, m->values[i], colour);
        snprintf(tip, sizeof tip, "%s, %s: %s", m->row_names[i / m->cols], m->col_names[i % m->cols], words);
        svg_tip_begin(s, tip);
        svg_rect_ink(s, corner, (svg_point){l->wide - 1, LINE - 1}, colour);
        snprintf(classes, sizeof classes, "cell %s", svg_ink_on(colour));
        if (m->cols <= TEXT_MOST)
            svg_text(s, (svg_point){corner.x + l->wide / 2, corner.y + 16}, SVG_MIDDLE, classes, words);
        svg_tip_end(s);
    }
}

static void draw_names(const matrix *m, const layout *l, svg *s)
{
    char text[160];
    for (int64_t r = 0; r < m->rows; r++)
        svg_text(s, (svg_point){l->left - 6, l->top + LINE * (double)r + 16}, SVG_END, "entry",
                 svg_short(m->row_names[r], NAME_MOST, text, sizeof text));
    for (int64_t c = 0; c < m->cols; c++) {
        svg_point at = {l->left + l->wide * ((double)c + 0.5), l->top - 6};
        svg_short(m->col_names[c], NAME_MOST, text, sizeof text);
        if (l->turned)
            svg_text_turned(s, at, SVG_START, -45, "tick", text);
        else
            svg_text(s, at, SVG_MIDDLE, "tick", text);
    }
}

void matrix_draw(const matrix *m, FILE *out, bool alone)
{
    layout l = lay_out(m);
    double bottom = l.top + LINE * (double)m->rows;
    double over = l.turned ? widest(m->col_names, m->cols) * 0.72 : 0;
    svg s = {.out = out,
             .width = fmax(l.left + l.wide * (double)m->cols + 16 + over, l.left + 220 + svg_text_width(m->bar)),
             .height = bottom + 12 + COLOUR_BAR_HEIGHT};
    s.width = fmax(s.width, 30 + 1.08 * svg_text_width(m->title));
    svg_begin(&s, alone, m->title, m->description);
    svg_text(&s, (svg_point){14, 18}, SVG_START, "title", m->title);
    draw_names(m, &l, &s);
    draw_cells(m, &l, &s);
    colour_bar bar = {.low = l.low, .high = l.high, .diverging = m->diverging, .label = m->bar};
    colour_bar_draw(&s, &bar, (svg_point){l.left, bottom + 8});
    svg_end(&s);
}
