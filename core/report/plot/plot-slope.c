// SPDX-License-Identifier: Apache-2.0
/* plot-slope.c: from the first to the last level, one line a row, named at both ends. The levels are those of a sweep
 * or, without one, two columns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/format/words.h"
#include "report/plot/grid.h"
#include "report/plot/sweep.h"

enum { NAME = 20 };

typedef struct pair {
    int64_t cols[2];
    const char *title;
    const char *names[2];
} pair;

static void draw_slopes(panel *p, const table *t, const pair *of)
{
    label_spot *spots = malloc(2 * (size_t)t->row_count * sizeof *spots);
    char(*texts)[2][120] = malloc((size_t)t->row_count * sizeof *texts);
    if (!spots || !texts) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld rows", (long long)t->row_count);
    int64_t count = 0;
    for (int64_t r = 0; r < t->row_count; r++) {
        char class[40], name[100], value[32];
        double first = table_at(t, r, of->cols[0])->mean, last = table_at(t, r, of->cols[1])->mean;
        if (isnan(first) || isnan(last)) continue;
        const svg_point line[] = {{p->corner.x, axis_at(&p->y, first * t->scale)},
                                  {p->corner.x + p->size.x, axis_at(&p->y, last * t->scale)}};
        svg_polyline(p->s, line, 2, series_class(r, "line", class, sizeof class));
        for (int i = 0; i < 2; i++) svg_circle(p->s, line[i], 3.5, series_class(r, "fill", class, sizeof class));
        svg_short(t->rows[r].label, NAME, name, sizeof name);
        panel_value(t, first, value, sizeof value);
        snprintf(texts[r][0], sizeof texts[r][0], "%.70s %.20s", name, value);
        panel_value(t, last, value, sizeof value);
        snprintf(texts[r][1], sizeof texts[r][1], "%.20s %.70s", value, name);
        spots[count] = (label_spot){.want = line[0].y, .series = r, .text = texts[r][0]};
        spots[t->row_count + count++] = (label_spot){.want = line[1].y, .series = r, .text = texts[r][1]};
    }
    labels_spread(spots, count, p->corner.y, p->corner.y + p->size.y);
    labels_spread(spots + t->row_count, count, p->corner.y, p->corner.y + p->size.y);
    labels_draw(p->s, spots, count, p->corner.x - 6, SVG_END);
    labels_draw(p->s, spots + t->row_count, count, p->corner.x + p->size.x + 6, SVG_START);
    free(spots);
    free(texts);
}

static void draw_frame(const panel *p, const pair *of, double side)
{
    double bottom = p->corner.y + p->size.y;
    for (int i = 0; i < 2; i++) {
        char text[100];
        double x = p->corner.x + i * p->size.x;
        svg_line(p->s, (svg_point){x, p->corner.y - 4}, (svg_point){x, bottom + 4}, "axis");
        svg_text(p->s, (svg_point){x, bottom + 20}, SVG_MIDDLE, "tick", svg_short(of->names[i], 24, text, sizeof text));
    }
    svg_text(p->s, (svg_point){p->corner.x - side + 6, p->corner.y - 16}, SVG_START, "title", of->title);
}

static void draw(const plot_input *in, FILE *out, const pair *pairs, int64_t count)
{
    const table *t = in->t;
    enum { BETWEEN = 170, TOP = 60 };
    char title[300], caption[300], label[120];
    double side = 0, high = fmax(200, LABEL_GAP * (double)t->row_count);
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[100];
        side = fmax(side, 80 + svg_text_width(svg_short(t->rows[r].label, NAME, text, sizeof text)));
    }
    axis y = axis_empty(false);
    for (int64_t i = 0; i < count; i++)
        for (int64_t r = 0; r < t->row_count; r++)
            for (int k = 0; k < 2; k++) axis_include(&y, table_at(t, r, pairs[i].cols[k])->mean * t->scale);
    if (y.low == y.high) axis_round(&y);
    double wide = 2 * side + BETWEEN;
    int64_t across = count < 2 ? 1 : 2;
    svg s = {.out = out,
             .width = wide * (double)across,
             .height = 24 + (TOP + high + 34) * (double)((count + across - 1) / across)};
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: %s", t->experiment, label);
    words_of_caption(t, caption, sizeof caption);
    svg_begin(&s, in->alone, title, caption);
    svg_text(&s, (svg_point){6, 18}, SVG_START, "title", title);
    for (int64_t i = 0; i < count; i++) {
        panel p = {.s = &s,
                   .corner = {wide * (double)(i % across) + side, TOP + (TOP + high + 34) * (double)(i / across)},
                   .size = {BETWEEN, high},
                   .y = y};
        p.y.from = p.corner.y + high;
        p.y.to = p.corner.y;
        draw_frame(&p, &pairs[i], side);
        draw_slopes(&p, t, &pairs[i]);
    }
    svg_end(&s);
}

cru_status plot_slope(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    sweep_list sweeps;
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    if (sweeps_find(t, in->ordinal, &sweeps, NULL)) {
        if (t->col_count != 2)
            return cru_fail(err, CRU_UNSUPPORTED,
                            "a slope needs levels as the last key of the columns, or two columns; there are %lld",
                            (long long)t->col_count);
        draw(in, out, &(pair){{0, 1}, "", {t->cols[0].label, t->cols[1].label}}, 1);
        return CRU_OK;
    }
    pair *pairs = malloc((size_t)sweeps.count * sizeof *pairs);
    if (!pairs) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld panels", (long long)sweeps.count);
    for (int64_t i = 0; i < sweeps.count; i++) {
        const sweep *w = &sweeps.items[i];
        int64_t last = w->cols[w->count - 1];
        pairs[i] = (pair){{w->cols[0], last},
                          w->title,
                          {t->cols[w->cols[0]].parts[t->col_key_count - 1], t->cols[last].parts[t->col_key_count - 1]}};
    }
    draw(in, out, pairs, sweeps.count);
    free(pairs);
    sweeps_clear(&sweeps);
    return CRU_OK;
}
