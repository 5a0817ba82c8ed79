// SPDX-License-Identifier: Apache-2.0
/* plot-counts.c: items of every class and nodes of every degree, as `crucible stats --json` prints them. */
#include <math.h>

#include "report/plot/panel.h"
#include "report/plot/plot.h"

enum { ROW = 22, WIDE = 260, NAMES = 22, PER_LINE = 2, SHOWN = 40 };

static int64_t shown(const plot_histogram_data *h)
{
    return h->count < SHOWN ? h->count : SHOWN;
}

static double names_width(const plot_data *d)
{
    double width = 40;
    for (int32_t i = 0; i < d->histogram_count; i++)
        for (int64_t k = 0; k < shown(&d->histograms[i]); k++) {
            char text[120];
            width = fmax(width, svg_text_width(svg_short(d->histograms[i].names[k], NAMES, text, sizeof text)));
        }
    return width + 20;
}

static double height_of(const plot_histogram_data *h)
{
    return 44 + ROW * (double)shown(h) + (h->count > SHOWN ? ROW : 0);
}

static void draw_one(svg *s, const plot_histogram_data *h, int32_t series, svg_point corner)
{
    char text[300], class[40];
    double most = 1, total = 0;
    for (int64_t i = 0; i < h->count; i++) {
        most = fmax(most, h->values[i]);
        total += h->values[i];
    }
    snprintf(text, sizeof text, "%s: %s", h->title, h->what[0] == 'c' ? "items by class" : "nodes by degree");
    svg_text(s, (svg_point){corner.x - 8, corner.y + 18}, SVG_START, "title", text);
    for (int64_t i = 0; i < shown(h); i++) {
        double y = corner.y + 30 + ROW * (double)i, width = WIDE * h->values[i] / most;
        svg_text(s, (svg_point){corner.x - 6, y + 15}, SVG_END, "entry",
                 svg_short(h->names[i], NAMES, text, sizeof text));
        svg_rect(s, (svg_point){corner.x, y + 3}, (svg_point){width, ROW - 6},
                 series_class(series, "fill", class, sizeof class));
        snprintf(text, sizeof text, "%.0f (%.1f %%)", h->values[i], total > 0 ? 100 * h->values[i] / total : 0);
        svg_text(s, (svg_point){corner.x + width + 5, y + 15}, SVG_START, "tick", text);
    }
    snprintf(text, sizeof text, "… %lld in all", (long long)h->count);
    if (h->count > SHOWN)
        svg_text(s, (svg_point){corner.x, corner.y + 45 + ROW * (double)SHOWN}, SVG_START, "tick", text);
}

cru_status plot_counts(const plot_input *in, FILE *out, cru_error *err)
{
    const plot_data *d = in->data;
    if (!d || d->histogram_count == 0)
        return cru_fail(
            err, CRU_UNSUPPORTED,
            "counts need what 'crucible stats DATASET --json' prints: --data FILE, or - for standard input");
    double left = names_width(d), wide = left + WIDE + 120, height = 0, y = 0;
    int32_t across = d->histogram_count < PER_LINE ? d->histogram_count : PER_LINE;
    for (int32_t i = 0; i < d->histogram_count; i += across) {
        double line = 0;
        for (int32_t k = i; k < i + across && k < d->histogram_count; k++)
            line = fmax(line, height_of(&d->histograms[k]));
        height += line;
    }
    svg s = {.out = out, .width = wide * across, .height = height + 10};
    svg_begin(&s, in->alone, "Classes and degrees", "How many items every class has, how many nodes every degree.");
    for (int32_t i = 0; i < d->histogram_count; i += across) {
        double line = 0;
        for (int32_t k = i; k < i + across && k < d->histogram_count; k++) {
            const plot_histogram_data *h = &d->histograms[k];
            draw_one(&s, h, h->what[0] == 'c' ? 0 : 2, (svg_point){wide * (k - i) + left, y});
            line = fmax(line, height_of(h));
        }
        y += line;
    }
    svg_end(&s);
    return CRU_OK;
}
