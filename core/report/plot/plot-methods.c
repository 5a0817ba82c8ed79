// SPDX-License-Identifier: Apache-2.0
/* plot-methods.c: all columns of a row at once: boxes over the datasets coloured by their mean, histograms of the runs,
 * and performance profiles. */
#include <math.h>
#include <stdlib.h>

#include "report/format/words.h"
#include "report/plot/box.h"
#include "report/plot/grid.h"
#include "report/table/stats-compare.h"

static double *alloc_numbers(int64_t n)
{
    double *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    if (!numbers) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld numbers", (long long)n);
    return numbers;
}

/* ---- boxes over the columns ------------------------------------------------------------------------------ */

enum { ROW = 26, NAMES = 28 };

/* The means of a row, as they are printed; returns how many there are. */
static int64_t row_means(const table *t, int64_t row, double *out)
{
    int64_t n = 0;
    for (int64_t c = 0; c < t->col_count; c++)
        if (table_at(t, row, c)->mark == TABLE_VALUE) out[n++] = table_at(t, row, c)->mean * t->scale;
    return n;
}

static void draw_rows(panel *p, const table *t, const colour_bar *bar)
{
    double *values = alloc_numbers(t->col_count);
    for (int64_t r = 0; r < t->row_count; r++) {
        char text[160];
        svg_colour colour;
        double y = p->corner.y + ROW * (double)r;
        int64_t n = row_means(t, r, values);
        svg_text(p->s, (svg_point){p->corner.x - 8, y + ROW / 2.0 + 4}, SVG_END, "entry",
                 svg_short(t->rows[r].label, NAMES, text, sizeof text));
        if (n == 0) continue;
        double mean = stats_mean(values, n);
        svg_heat(bar->high > bar->low ? (mean - bar->low) / (bar->high - bar->low) : 0.5, colour);
        snprintf(text, sizeof text, "mean %.4g of %lld columns", mean, (long long)n);
        svg_tip_begin(p->s, text);
        box_draw(
            p, &(box){.values = values, .count = n, .from = y + 4, .to = y + ROW - 4, .colour = colour, .lying = true});
        svg_tip_end(p->s);
    }
    free(values);
}

static void draw_value_axis(panel *p)
{
    double ticks[AXIS_TICKS], bottom = p->corner.y + p->size.y;
    int count = axis_ticks(&p->x, ticks);
    for (int i = 0; i < count; i++) {
        char text[32];
        double at = axis_at(&p->x, ticks[i]);
        snprintf(text, sizeof text, "%.6g", ticks[i]);
        svg_line(p->s, (svg_point){at, p->corner.y}, (svg_point){at, bottom}, "grid");
        svg_text(p->s, (svg_point){at, bottom + 16}, SVG_MIDDLE, "tick", text);
    }
    svg_line(p->s, (svg_point){p->corner.x, bottom}, (svg_point){p->corner.x + p->size.x, bottom}, "axis");
}

cru_status plot_methods(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    char title[300], label[120], text[160], bar_label[160];
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    if (t->col_count < 2)
        return cru_fail(err, CRU_UNSUPPORTED, "boxes over the columns need at least two columns; --cols chooses them");
    axis x = axis_empty(false);
    colour_bar bar = {.low = INFINITY, .high = -INFINITY};
    double left = 60, *values = alloc_numbers(t->col_count);
    for (int64_t r = 0; r < t->row_count; r++) {
        int64_t n = row_means(t, r, values);
        for (int64_t i = 0; i < n; i++) axis_include(&x, values[i]);
        if (n) bar.low = fmin(bar.low, stats_mean(values, n));
        if (n) bar.high = fmax(bar.high, stats_mean(values, n));
        left = fmax(left, 20 + svg_text_width(svg_short(t->rows[r].label, NAMES, text, sizeof text)));
    }
    free(values);
    axis_round(&x);
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: %s over %lld columns", t->experiment, label, (long long)t->col_count);
    snprintf(bar_label, sizeof bar_label, "mean %s", label);
    bar.label = bar_label;
    svg s = {.out = out, .width = left + 440, .height = 36 + ROW * (double)t->row_count + 48 + COLOUR_BAR_HEIGHT};
    svg_begin(&s, in->alone, title, "Quartiles over the columns; the colour is the mean.");
    svg_text(&s, (svg_point){14, 18}, SVG_START, "title", title);
    panel p = {.s = &s, .corner = {left, 32}, .size = {420, ROW * (double)t->row_count}, .x = x};
    p.x.from = left;
    p.x.to = left + 420;
    draw_value_axis(&p);
    draw_rows(&p, t, &bar);
    svg_text(&s, (svg_point){left + 210, p.corner.y + p.size.y + 33}, SVG_MIDDLE, "label", label);
    colour_bar_draw(&s, &bar, (svg_point){left, s.height - COLOUR_BAR_HEIGHT + 4});
    svg_end(&s);
    return CRU_OK;
}

/* ---- histograms ------------------------------------------------------------------------------------------ */

enum { BINS_MOST = 30 };

static int64_t row_runs(const table *t, int64_t row, double *out)
{
    int64_t n = 0;
    for (int64_t c = 0; c < t->col_count; c++) {
        const table_cell *cell = table_at(t, row, c);
        for (int64_t i = 0; i < cell->run_count; i++) out[n++] = cell->runs[i].value * t->scale;
    }
    return n;
}

static int64_t most_runs(const table *t)
{
    int64_t most = 0;
    for (int64_t r = 0; r < t->row_count; r++) {
        int64_t n = 0;
        for (int64_t c = 0; c < t->col_count; c++) n += table_at(t, r, c)->run_count;
        if (n > most) most = n;
    }
    return most;
}

typedef struct bins {
    axis x;
    int64_t count, (*of)[BINS_MOST]; /* of every row */
} bins;

static void fill_bins(const table *t, bins *b)
{
    double *values = alloc_numbers(most_runs(t));
    for (int64_t r = 0; r < t->row_count; r++) {
        int64_t n = row_runs(t, r, values);
        for (int64_t i = 0; i < n; i++) {
            int64_t at = (int64_t)((values[i] - b->x.low) / (b->x.high - b->x.low) * (double)b->count);
            b->of[r][at < b->count ? at : b->count - 1]++;
        }
    }
    free(values);
}

static void draw_bins(panel *p, const bins *b, int64_t row)
{
    char text[40], tip[80];
    double bottom = p->corner.y + p->size.y, width = (p->x.to - p->x.from) / (double)b->count;
    for (int64_t i = 0; i < b->count; i++) {
        if (b->of[row][i] == 0) continue;
        double y = axis_at(&p->y, (double)b->of[row][i]);
        snprintf(tip, sizeof tip, "%lld runs", (long long)b->of[row][i]);
        svg_tip_begin(p->s, tip);
        svg_rect(p->s, (svg_point){p->x.from + width * (double)i, y}, (svg_point){width - 1, bottom - y},
                 series_class(row, "fill", text, sizeof text));
        svg_tip_end(p->s);
    }
}

cru_status plot_histogram(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    char title[300], label[120];
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    int64_t most = most_runs(t);
    bins b = {.x = axis_empty(false), .of = calloc((size_t)t->row_count, sizeof *b.of)};
    if (!b.of) return cru_fail(err, CRU_NO_MEMORY, "plot: no memory for %lld rows", (long long)t->row_count);
    for (int64_t i = 0; i < t->row_count * t->col_count; i++)
        for (int64_t k = 0; k < t->cells[i].run_count; k++) axis_include(&b.x, t->cells[i].runs[k].value * t->scale);
    axis_round(&b.x);
    b.count = (int64_t)fmin(BINS_MOST, fmax(5, 2 * cbrt((double)most) * 2)); /* Rice's rule, twice as fine */
    fill_bins(t, &b);
    axis y = {.low = 0, .high = 0};
    for (int64_t r = 0; r < t->row_count; r++)
        for (int64_t i = 0; i < b.count; i++) axis_include(&y, (double)b.of[r][i]);
    axis_round(&y);
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: runs by %s", t->experiment, t->metric);
    grid g = {.s.out = out, .count = t->row_count};
    grid_begin(&g, in->alone, 0, &(grid_texts){title, "How often every value of the metric occurs."});
    for (int64_t r = 0; r < t->row_count; r++) {
        panel p = grid_panel(&g, r);
        p.x = b.x;
        p.y = y;
        panel_draw(&p, true, &(panel_texts){t->rows[r].label, label, "runs"});
        draw_bins(&p, &b, r);
    }
    svg_end(&g.s);
    free(b.of);
    return CRU_OK;
}

/* ---- performance profiles -------------------------------------------------------------------------------- */

enum { STEPS = 100, DRAWS = 200 };

typedef struct profile {
    double share[STEPS + 1], low[STEPS + 1], high[STEPS + 1];
} profile;

/* The number of thresholds that a value has passed: is above or, where lower is better, is not below. */
static int passed(double value, const axis *x, bool lower)
{
    int low = 0, high = STEPS + 1; /* all before `low` are passed, none from `high` on */
    while (low < high) {
        int middle = (low + high) / 2;
        double threshold = x->low + (x->high - x->low) * middle / STEPS;
        if (lower ? value >= threshold : value > threshold)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* From how many values passed so many thresholds to the share of them beyond each. */
static void share_beyond(const int64_t counts[STEPS + 2], int64_t total, bool lower, double shares[STEPS + 1])
{
    int64_t within = 0; /* passed at most i thresholds */
    for (int i = 0; i <= STEPS; i++) {
        within += counts[i];
        shares[i] = (double)(lower ? within : total - within) / (double)total;
    }
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One draw of the runs, again within their columns. */
static void draw_runs(const table *t, int64_t row, const int *places, cru_rng *rng, int64_t counts[STEPS + 2])
{
    for (int i = 0; i < STEPS + 2; i++) counts[i] = 0;
    for (int64_t c = 0, from = 0; c < t->col_count; from += table_at(t, row, c++)->run_count) {
        int64_t n = table_at(t, row, c)->run_count;
        for (int64_t i = 0; i < n; i++) counts[places[from + cru_rng_below(rng, n)]]++;
    }
}

/* The share of runs beyond every threshold with its 95 % band. */
static bool make_profile(const table *t, int64_t row, const axis *x, profile *out)
{
    int64_t total = 0, counts[STEPS + 2] = {0};
    double shares[STEPS + 1];
    for (int64_t c = 0; c < t->col_count; c++) total += table_at(t, row, c)->run_count;
    if (total == 0) return false;
    double *values = alloc_numbers(total), *drawn = alloc_numbers((STEPS + 1) * DRAWS);
    int *places = malloc((size_t)total * sizeof *places);
    if (!places) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld runs", (long long)total);
    row_runs(t, row, values);
    for (int64_t i = 0; i < total; i++) counts[places[i] = passed(values[i], x, t->lower_is_better)]++;
    share_beyond(counts, total, t->lower_is_better, out->share);
    cru_rng rng = cru_rng_stream(0, "profile", (uint64_t)row);
    for (int d = 0; d < DRAWS; d++) {
        draw_runs(t, row, places, &rng, counts);
        share_beyond(counts, total, t->lower_is_better, shares);
        for (int i = 0; i <= STEPS; i++) drawn[i * DRAWS + d] = shares[i];
    }
    for (int i = 0; i <= STEPS; i++) {
        qsort(drawn + i * DRAWS, DRAWS, sizeof *drawn, by_value);
        out->low[i] = stats_quantile(drawn + i * DRAWS, DRAWS, 0.025);
        out->high[i] = stats_quantile(drawn + i * DRAWS, DRAWS, 0.975);
    }
    free(values);
    free(drawn);
    free(places);
    return true;
}

static void draw_profile(panel *p, const profile *made, int64_t row)
{
    char text[40];
    svg_point line[STEPS + 1], band[2 * (STEPS + 1)];
    for (int i = 0; i <= STEPS; i++) {
        double x = axis_at(&p->x, p->x.low + (p->x.high - p->x.low) * i / STEPS);
        line[i] = (svg_point){x, axis_at(&p->y, made->share[i])};
        band[i] = (svg_point){x, axis_at(&p->y, made->high[i])};
        band[2 * STEPS + 1 - i] = (svg_point){x, axis_at(&p->y, made->low[i])};
    }
    svg_polygon(p->s, band, 2 * (STEPS + 1), series_class(row, "band", text, sizeof text));
    svg_polyline(p->s, line, STEPS + 1, series_class(row, "line", text, sizeof text));
}

cru_status plot_profile(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    char title[300], label[120], y_label[120];
    if (panel_need_values(t, err)) return CRU_UNSUPPORTED;
    axis x = axis_empty(false), y = {.low = 0, .high = 1};
    for (int64_t i = 0; i < t->row_count * t->col_count; i++)
        for (int64_t k = 0; k < t->cells[i].run_count; k++) axis_include(&x, t->cells[i].runs[k].value * t->scale);
    axis_round(&x);
    axis_round(&y);
    panel_metric(t, label, sizeof label);
    snprintf(title, sizeof title, "%s: performance profiles by %s", t->experiment, t->metric);
    snprintf(y_label, sizeof y_label, "share of runs %s", t->lower_is_better ? "below" : "above");
    grid g = {.s.out = out, .count = 1, .inner = 420};
    grid_begin(&g, in->alone, legend_height(t, 500), &(grid_texts){title, "With 95 % bootstrap bands."});
    panel p = grid_panel(&g, 0);
    p.x = x;
    p.y = y;
    panel_draw(&p, true, &(panel_texts){title, label, y_label});
    for (int64_t r = 0; r < t->row_count; r++) {
        profile made;
        svg_tip_begin(&g.s, t->rows[r].label);
        if (make_profile(t, r, &x, &made)) draw_profile(&p, &made, r);
        svg_tip_end(&g.s);
    }
    legend_draw(&g.s, t, g.legend_from);
    svg_end(&g.s);
    return CRU_OK;
}
