// SPDX-License-Identifier: Apache-2.0
/* plot-search.c: what a search tried: parallel coordinates, and how much each setting matters. One panel a method. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/plugin.h>

#include "report/plot/grid.h"
#include "report/table/importance.h"

enum { AXES_MOST = 12, METHODS_MOST = 12 };

/* A setting that was searched: its values in order. */
typedef struct searched {
    const frame_column *column;
    const char *name;
    bool numeric;
    int32_t count;
    int32_t *order;     /* of every level of the column: its place, -1: not tried by this method */
    const char **names; /* by place */
} searched;

/* The trials of one method. */
typedef struct study {
    const frame *f;
    const frame_measure *target;
    const char *method;
    double scale;
    bool lower;
    int64_t *trials; /* with a score */
    int64_t count;
    searched axes[AXES_MOST];
    int64_t axis_count;
} study;

static void *need(void *memory)
{
    if (!memory) cru_panic(CRU_NO_MEMORY, "plot: no memory for the trials of a search");
    return memory;
}

/* ---- finding ------------------------------------------------------------------------------------------------- */

typedef struct level {
    const char *text;
    double number;
    int32_t id;
} level;

static int by_number(const void *a, const void *b)
{
    const level *x = a, *y = b;
    if (x->number != y->number) return x->number < y->number ? -1 : 1;
    return strcmp(x->text, y->text);
}

/* Puts the values that the method's trials have in order; false when there are fewer than two. */
static bool order_levels(const study *s, const frame_column *column, searched *out)
{
    level *levels = need(calloc((size_t)column->level_count + 1, sizeof *levels));
    *out = (searched){.column = column, .numeric = true};
    out->order = need(malloc(((size_t)column->level_count + 1) * sizeof *out->order));
    out->names = need(malloc(((size_t)column->level_count + 1) * sizeof *out->names));
    for (int32_t i = 0; i < column->level_count; i++) out->order[i] = -1;
    for (int64_t i = 0; i < s->count; i++) {
        int32_t id = column->ids[s->trials[i]];
        if (id < 0 || out->order[id] == 0) continue;
        char *end;
        out->order[id] = 0;
        levels[out->count] = (level){column->levels[id], strtod(column->levels[id], &end), id};
        if (*end) levels[out->count].number = INFINITY;
        out->numeric &= !*end;
        out->count++;
    }
    qsort(levels, (size_t)out->count, sizeof *levels, by_number);
    for (int32_t i = 0; i < out->count; i++) {
        out->order[levels[i].id] = i;
        out->names[i] = levels[i].text;
    }
    const char *dot = strrchr(column->name, '.');
    out->name = dot ? dot + 1 : column->name;
    free(levels);
    return out->count > 1;
}

static void free_searched(searched *a)
{
    free(a->order);
    free(a->names);
}

static void free_study(study *s)
{
    for (int64_t i = 0; i < s->axis_count; i++) free_searched(&s->axes[i]);
    free(s->trials);
}

/* Every trial of the method must have a value of the setting. */
static bool has_all(const study *s, const frame_column *column)
{
    for (int64_t i = 0; i < s->count; i++)
        if (column->ids[s->trials[i]] < 0) return false;
    return true;
}

static void find_study(const plot_input *in, int32_t method, study *s)
{
    const frame *f = in->tried;
    *s = (study){.f = f,
                 .target = in->target,
                 .method = f->columns[0].levels[method],
                 .scale = in->target->flags & CRU_METRIC_PERCENT ? 100 : 1,
                 .lower = in->target->flags & CRU_METRIC_LOWER_IS_BETTER};
    s->trials = need(malloc(((size_t)f->count + 1) * sizeof *s->trials));
    for (int64_t i = 0; i < f->count; i++)
        if (f->columns[0].ids[i] == method && f->tried[i] != 0 && isfinite(in->target->values[i]))
            s->trials[s->count++] = i;
    for (int64_t c = 0; c < f->column_count && s->axis_count < AXES_MOST && s->count > 1; c++) {
        if (strncmp(f->columns[c].name, "algorithm.", 10) != 0 || !has_all(s, &f->columns[c])) continue;
        if (order_levels(s, &f->columns[c], &s->axes[s->axis_count]))
            s->axis_count++;
        else
            free_searched(&s->axes[s->axis_count]);
    }
}

/* Fills `studies` with the methods that have something to show; returns their number. */
static int64_t find_studies(const plot_input *in, study studies[METHODS_MOST])
{
    int64_t count = 0;
    if (!in->tried || !in->target) return 0;
    for (int32_t m = 0; m < in->tried->columns[0].level_count && count < METHODS_MOST; m++) {
        find_study(in, m, &studies[count]);
        if (studies[count].axis_count > 0 && studies[count].count > 2)
            count++;
        else
            free_study(&studies[count]);
    }
    return count;
}

static cru_status no_search(const plot_input *in, cru_error *err)
{
    return cru_fail(err, CRU_UNSUPPORTED, "no method of '%s' has at least three finished trials of a search",
                    in->tried ? in->tried->experiment : "the experiment");
}

/* ---- parallel coordinates ------------------------------------------------------------------------------------ */

enum { BETWEEN = 110, HEIGHT = 220, TOP = 64, LEFT = 60, GAP = 30 };

/* Where a trial crosses an axis, 0..1: numbers by value (by order when they span more than two powers of ten), names by
 * order. */
static double crossing(const searched *a, const char *text)
{
    int32_t place = 0;
    while (place + 1 < a->count && strcmp(a->names[place], text) != 0) place++;
    if (!a->numeric) return (double)place / (double)(a->count - 1);
    double low = strtod(a->names[0], NULL), high = strtod(a->names[a->count - 1], NULL), value = strtod(text, NULL);
    if (low > 0 && high / low > 50) return log(value / low) / log(high / low);
    return (value - low) / (high - low);
}

static void draw_axis(svg *s, const searched *a, double x, double top)
{
    char text[100];
    svg_line(s, (svg_point){x, top}, (svg_point){x, top + HEIGHT}, "axis");
    svg_text(s, (svg_point){x, top - 20}, SVG_MIDDLE, "label", svg_short(a->name, 15, text, sizeof text));
    double last = INFINITY;
    for (int32_t i = 0; i < a->count; i++) {
        double y = top + HEIGHT * (1 - crossing(a, a->names[i]));
        bool end = i == 0 || i == a->count - 1;
        if (!end && (last - y < GAP || y - top < GAP)) continue;
        char number[48];
        snprintf(number, sizeof number, "%.3g", strtod(a->names[i], NULL));
        svg_text(s, (svg_point){x + 5, y + 4}, SVG_START, "tick small halo",
                 svg_short(a->numeric ? number : a->names[i], 14, text, sizeof text));
        last = y;
    }
}

typedef struct scored {
    int64_t trial;
    double score;
} scored;

static int worst_first(const void *a, const void *b)
{
    double x = ((const scored *)a)->score, y = ((const scored *)b)->score;
    return (x > y) - (x < y);
}

/* Bad trials first, so that good ones lie above. */
static void draw_lines(svg *s, const study *of, const colour_bar *bar, double top)
{
    scored *order = need(malloc((size_t)of->count * sizeof *order));
    for (int64_t i = 0; i < of->count; i++)
        order[i] = (scored){of->trials[i], of->target->values[of->trials[i]] * (of->lower ? -1 : 1)};
    qsort(order, (size_t)of->count, sizeof *order, worst_first);
    for (int64_t i = 0; i < of->count; i++) {
        svg_colour colour;
        double value = of->target->values[order[i].trial] * of->scale, range = bar->high - bar->low;
        svg_heat(range > 0 ? (value - bar->low) / range : 0.5, colour);
        fprintf(s->out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"%s\" stroke-opacity=\"%s\" points=\"",
                colour, i + 1 == of->count ? "3" : "1.2", i + 1 == of->count ? "1" : "0.7");
        for (int64_t a = 0; a < of->axis_count; a++) {
            const frame_column *column = of->axes[a].column;
            double at = crossing(&of->axes[a], column->levels[column->ids[order[i].trial]]);
            fprintf(s->out, "%.2f,%.2f ", LEFT + BETWEEN * (double)a, top + HEIGHT * (1 - at));
        }
        double share = range > 0 ? (value - bar->low) / range : 0.5;
        fprintf(s->out, "%.2f,%.2f\"/>\n", LEFT + BETWEEN * (double)of->axis_count, top + HEIGHT * (1 - share));
    }
    free(order);
}

static colour_bar range_of(const study *s)
{
    colour_bar bar = {.low = INFINITY, .high = -INFINITY, .label = ""};
    for (int64_t i = 0; i < s->count; i++) {
        bar.low = fmin(bar.low, s->target->values[s->trials[i]] * s->scale);
        bar.high = fmax(bar.high, s->target->values[s->trials[i]] * s->scale);
    }
    return bar;
}

static void draw_study(svg *s, const study *of, double top)
{
    char title[200], label[120], text[48];
    colour_bar bar = range_of(of);
    double x = LEFT + BETWEEN * (double)of->axis_count;
    snprintf(title, sizeof title, "%s: %lld settings tried", of->method, (long long)of->count);
    snprintf(label, sizeof label, "%s%s", of->target->name, of->scale == 100 ? " (%)" : "");
    svg_text(s, (svg_point){14, top - 42}, SVG_START, "title", title);
    draw_lines(s, of, &bar, top);
    for (int64_t a = 0; a < of->axis_count; a++) draw_axis(s, &of->axes[a], LEFT + BETWEEN * (double)a, top);
    svg_line(s, (svg_point){x, top}, (svg_point){x, top + HEIGHT}, "axis");
    svg_text(s, (svg_point){x, top - 20}, SVG_MIDDLE, "label", svg_short(label, 18, title, sizeof title));
    snprintf(text, sizeof text, "%.4g", bar.high);
    svg_text(s, (svg_point){x + 6, top + 4}, SVG_START, "tick", text);
    snprintf(text, sizeof text, "%.4g", bar.low);
    svg_text(s, (svg_point){x + 6, top + HEIGHT + 4}, SVG_START, "tick", text);
}

cru_status plot_parallel(const plot_input *in, FILE *out, cru_error *err)
{
    study studies[METHODS_MOST];
    int64_t count = find_studies(in, studies), axes = 0;
    if (count == 0) return no_search(in, err);
    for (int64_t i = 0; i < count; i++)
        if (studies[i].axis_count > axes) axes = studies[i].axis_count;
    char title[300];
    snprintf(title, sizeof title, "%s: settings that were tried", in->tried->experiment);
    svg s = {.out = out,
             .width = fmax(420, LEFT + BETWEEN * (double)axes + 90),
             .height = (TOP + HEIGHT + 24) * (double)count + 6};
    svg_begin(&s, in->alone, title, "Every line is one setting; its colour and its right end are the score.");
    for (int64_t i = 0; i < count; i++) draw_study(&s, &studies[i], TOP + (TOP + HEIGHT + 24) * (double)i);
    svg_end(&s);
    for (int64_t i = 0; i < count; i++) free_study(&studies[i]);
    return CRU_OK;
}

/* ---- importance ---------------------------------------------------------------------------------------------- */

static void measure(const study *s, double *shares)
{
    int32_t *levels = need(malloc((size_t)(s->count * s->axis_count) * sizeof *levels)), counts[AXES_MOST];
    double *scores = need(malloc((size_t)s->count * sizeof *scores));
    for (int64_t i = 0; i < s->count; i++) {
        scores[i] = s->target->values[s->trials[i]];
        for (int64_t a = 0; a < s->axis_count; a++)
            levels[i * s->axis_count + a] = s->axes[a].order[s->axes[a].column->ids[s->trials[i]]];
    }
    for (int64_t a = 0; a < s->axis_count; a++) counts[a] = s->axes[a].count;
    importance_data data = {s->count, s->axis_count, levels, counts, scores};
    cru_rng rng = cru_rng_stream(0, "importance", 0);
    importance_of(&data, &(importance_shape){.trees = 64, .leaf = s->count >= 30 ? 3 : 1}, &rng, shares);
    free(levels);
    free(scores);
}

enum { ROW = 24, NAMES = 24 };

static double names_width(const study *studies, int64_t count)
{
    double width = 60;
    for (int64_t i = 0; i < count; i++)
        for (int64_t a = 0; a < studies[i].axis_count; a++) {
            char text[120];
            width = fmax(width, svg_text_width(svg_short(studies[i].axes[a].name, NAMES, text, sizeof text)));
        }
    return width + 24;
}

/* Bars from the largest share down. */
static void draw_shares(svg *s, const study *of, double left, double top)
{
    double shares[AXES_MOST];
    bool done[AXES_MOST] = {0};
    char text[200];
    measure(of, shares);
    snprintf(text, sizeof text, "%s: %lld settings tried", of->method, (long long)of->count);
    svg_text(s, (svg_point){14, top - 10}, SVG_START, "title", text);
    for (int64_t k = 0; k < of->axis_count; k++) {
        int64_t best = -1;
        for (int64_t a = 0; a < of->axis_count; a++)
            if (!done[a] && (best < 0 || shares[a] > shares[best])) best = a;
        done[best] = true;
        double y = top + ROW * (double)k, width = isnan(shares[best]) ? 0 : 300 * shares[best];
        svg_text(s, (svg_point){left - 8, y + 16}, SVG_END, "entry",
                 svg_short(of->axes[best].name, NAMES, text, sizeof text));
        svg_rect(s, (svg_point){left, y + 3}, (svg_point){width, ROW - 6}, "fill s0");
        snprintf(text, sizeof text, isnan(shares[best]) ? "not defined" : "%.1f %%", 100 * shares[best]);
        svg_text(s, (svg_point){left + width + 6, y + 16}, SVG_START, "tick", text);
    }
}

cru_status plot_importance(const plot_input *in, FILE *out, cru_error *err)
{
    study studies[METHODS_MOST];
    int64_t count = find_studies(in, studies), lines = 0;
    if (count == 0) return no_search(in, err);
    for (int64_t i = 0; i < count; i++) lines += studies[i].axis_count;
    char title[300];
    double left = names_width(studies, count), top = 60;
    snprintf(title, sizeof title, "%s: variance of %s that each setting explains", in->tried->experiment,
             in->target->name);
    svg s = {.out = out,
             .width = fmax(left + 380, 30 + 1.08 * svg_text_width(title)),
             .height = 40 + 40 * (double)count + ROW * (double)lines};
    svg_begin(&s, in->alone, title, "Main effects by functional ANOVA of a forest; the rest is interaction.");
    svg_text(&s, (svg_point){14, 18}, SVG_START, "title", title);
    for (int64_t i = 0; i < count; i++) {
        draw_shares(&s, &studies[i], left, top);
        top += ROW * (double)studies[i].axis_count + 40;
        free_study(&studies[i]);
    }
    svg_end(&s);
    return CRU_OK;
}
