// SPDX-License-Identifier: Apache-2.0
/* plot-ranks.c: the critical-difference diagram of Demšar (JMLR 2006). Methods stand on an axis by their average rank;
 * a bar joins those that differ by less than Nemenyi's critical difference or, since that depends on which other
 * methods are there (Benavoli, Corani, Mangili. JMLR 2016), those of which no pair differs by Wilcoxon's test with
 * Holm's correction. Friedman's test of all methods stands above. */
#include <math.h>
#include <stdlib.h>

#include "report/format/escape.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"
#include "report/table/comparison.h"
#include "report/table/stats-compare.h"

enum { LINE = 18, AXIS_WIDTH = 420, TOP = 106 };

typedef struct place {
    double rank;
    int64_t row;
} place;

typedef struct ranking {
    const table *t;
    place *places; /* by rank */
    int64_t k;     /* methods */
    int64_t n;     /* columns in which all of them have a value */
    int64_t *cols; /* which */
    double difference;
    plot_cliques by;
    double *p; /* k x k by place: of being equal, after Holm's correction over all pairs; NULL for Nemenyi's bars */
    friedman all;
} ranking;

static int by_rank(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
    return (x->row > y->row) - (x->row < y->row);
}

/* A method without any value is left out; then columns in which one of the others has none. */
static void rank_methods(ranking *r)
{
    const table *t = r->t;
    for (int64_t row = 0; row < t->row_count; row++) {
        if (!isnan(t->average_ranks[row])) r->places[r->k++] = (place){.row = row};
    }
    for (int64_t c = 0; c < t->col_count; c++) {
        bool complete = true;
        for (int64_t i = 0; i < r->k; i++) complete &= !isnan(table_at(t, r->places[i].row, c)->rank);
        for (int64_t i = 0; i < r->k && complete; i++) r->places[i].rank += table_at(t, r->places[i].row, c)->rank;
        if (complete) r->cols[r->n++] = c;
    }
    for (int64_t i = 0; i < r->k && r->n > 0; i++) r->places[i].rank /= (double)r->n;
    qsort(r->places, (size_t)r->k, sizeof *r->places, by_rank);
}

/* ---- tests ----------------------------------------------------------------------------------------------- */

static double *alloc_numbers(int64_t n)
{
    double *numbers = malloc(((size_t)n + 1) * sizeof *numbers);
    if (!numbers) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld numbers", (long long)n);
    return numbers;
}

/* Ranks within the columns and methods that the diagram shows. */
static void test_all(ranking *r)
{
    double *ranks = alloc_numbers(r->n * r->k), *means = alloc_numbers(r->k);
    for (int64_t c = 0; c < r->n; c++) {
        for (int64_t i = 0; i < r->k; i++) means[i] = table_at(r->t, r->places[i].row, r->cols[c])->mean;
        stats_ranks(means, r->k, r->t->lower_is_better, ranks + c * r->k);
    }
    r->all = stats_friedman(ranks, r->n, r->k);
    free(ranks);
    free(means);
}

/* Wilcoxon's test of every pair over the columns; a pair without any difference has p = 1. */
static void test_pairs(ranking *r)
{
    int64_t pairs = r->k * (r->k - 1) / 2, at = 0;
    double *p = alloc_numbers(pairs), *gaps = alloc_numbers(r->n);
    for (int64_t i = 0; i < r->k; i++) {
        for (int64_t j = i + 1; j < r->k; j++) {
            for (int64_t c = 0; c < r->n; c++)
                gaps[c] = table_at(r->t, r->places[i].row, r->cols[c])->mean -
                          table_at(r->t, r->places[j].row, r->cols[c])->mean;
            double found = stats_wilcoxon(gaps, r->n);
            p[at++] = isnan(found) ? 1 : found;
        }
    }
    stats_holm(p, pairs);
    r->p = alloc_numbers(r->k * r->k);
    at = 0;
    for (int64_t i = 0; i < r->k; i++)
        for (int64_t j = i + 1; j < r->k; j++) r->p[i * r->k + j] = p[at++];
    free(p);
    free(gaps);
}

/* Whether the method at place `last` can join those from `first` on. */
static bool joins(const ranking *r, int64_t first, int64_t last)
{
    if (!r->p) return r->places[last].rank - r->places[first].rank < r->difference;
    if (!(r->all.p < r->t->alpha)) return true; /* nothing differs at all */
    for (int64_t i = first; i < last; i++)
        if (r->p[i * r->k + last] < r->t->alpha) return false;
    return true;
}

/* ---- words ----------------------------------------------------------------------------------------------- */

/* What the reader must know of the columns: whether they are different datasets, or too few for any pair to differ. */
static const char *warning(const ranking *r, char *text, size_t size)
{
    int64_t datasets = comparison_datasets(r->t, r->cols, r->n), pairs = r->k * (r->k - 1) / 2;
    text[0] = '\0';
    if (datasets < r->n)
        snprintf(text, size,
                 "The %lld columns are of %lld dataset%s: they are not independent, so differences look surer than "
                 "they are.",
                 (long long)r->n, (long long)datasets, datasets == 1 ? "" : "s");
    else if (r->p && stats_wilcoxon_least(r->n) * (double)pairs >= r->t->alpha)
        snprintf(text, size, "With %lld columns no pair of %lld can differ: it takes %lld.", (long long)r->n,
                 (long long)pairs, (long long)stats_wilcoxon_needed(r->t->alpha, pairs));
    return text;
}

/* ---- the diagram ----------------------------------------------------------------------------------------- */

static void draw_axis(svg *s, const axis *a, int64_t k)
{
    svg_line(s, (svg_point){a->from, TOP}, (svg_point){a->to, TOP}, "axis");
    int64_t step = 1 + k / 20;
    for (int64_t rank = 1; rank <= k; rank += step) {
        char text[24];
        double x = axis_at(a, (double)rank);
        snprintf(text, sizeof text, "%lld", (long long)rank);
        svg_line(s, (svg_point){x, TOP - 5}, (svg_point){x, TOP}, "axis");
        svg_text(s, (svg_point){x, TOP - 9}, SVG_MIDDLE, "tick", text);
    }
}

/* Names of the better half hang on the left, the others on the right, each joined to its rank. */
static void draw_names(svg *s, const axis *a, const ranking *r, double below)
{
    int64_t half = (r->k + 1) / 2;
    for (int64_t i = 0; i < r->k; i++) {
        bool left = i < half;
        double y = below + LINE * (double)(left ? i : r->k - 1 - i), x = axis_at(a, r->places[i].rank);
        double edge = left ? a->from - 14 : a->to + 14;
        const svg_point line[] = {{x, TOP}, {x, y}, {edge, y}};
        char text[300];
        svg_polyline(s, line, 3, "axis");
        snprintf(text, sizeof text, "%s %.2f", r->t->rows[r->places[i].row].label, r->places[i].rank);
        svg_text(s, (svg_point){edge + (left ? -4 : 4), y + 4}, left ? SVG_END : SVG_START, "entry", text);
    }
}

/* A bar for every longest run of methods within the difference; those inside an earlier one are not drawn. Returns the
 * number of bars; draws when there is a picture. */
static int64_t draw_cliques(svg *s, const axis *a, const ranking *r)
{
    int64_t count = 0, reached = 0;
    for (int64_t i = 0; i < r->k; i++) {
        int64_t last = i;
        while (last + 1 < r->k && joins(r, i, last + 1)) last++;
        if (last == i || last <= reached) continue;
        reached = last;
        double y = TOP + 10 + 8 * (double)count++;
        if (!s) continue;
        svg_line(s, (svg_point){axis_at(a, r->places[i].rank) - 3, y},
                 (svg_point){axis_at(a, r->places[last].rank) + 3, y}, "clique");
    }
    return count;
}

static double widest_name(const ranking *r)
{
    int64_t widest = 0;
    for (int64_t i = 0; i < r->k; i++) {
        int64_t width = escape_width(r->t->rows[r->places[i].row].label);
        if (width > widest) widest = width;
    }
    return 7 * (double)(widest + 6);
}

static void draw_head(svg *s, const ranking *r, const axis *a)
{
    char text[240];
    double margin = a->from;
    svg_text(s, (svg_point){14, 18}, SVG_START, "entry", warning(r, text, sizeof text));
    if (r->p)
        snprintf(text, sizeof text, "joined: no pair differs (Wilcoxon, Holm, α = %g, %lld columns)", r->t->alpha,
                 (long long)r->n);
    else
        snprintf(text, sizeof text, "critical difference %.2f (Nemenyi, α = %g, %lld columns)", r->difference,
                 r->t->alpha, (long long)r->n);
    svg_text(s, (svg_point){margin, 38}, SVG_START, "title", text);
    double reach = axis_at(a, 1 + r->difference);
    if (!r->p) svg_line(s, (svg_point){margin, 48}, (svg_point){fmin(reach, s->width - 10), 48}, "clique");
    snprintf(text, sizeof text, "Friedman χ² = %.2f, p = %.3g%s", r->all.chi2, r->all.p,
             r->all.p < r->t->alpha ? "" : ": no difference is shown");
    if (isnan(r->all.p)) snprintf(text, sizeof text, "Friedman: all ranks are equal");
    svg_text(s, (svg_point){margin, 68}, SVG_START, "entry", text);
}

static void draw(const plot_input *in, FILE *out, const ranking *r)
{
    char text[240];
    double margin = widest_name(r) + 24;
    axis a = {.low = 1, .high = (double)r->k, .from = margin, .to = margin + AXIS_WIDTH};
    double below = TOP + 24 + 8 * (double)draw_cliques(NULL, &a, r);
    svg s = {.out = out, .width = AXIS_WIDTH + 2 * margin, .height = below + LINE * (double)((r->k + 1) / 2) + 10};
    s.width = fmax(s.width, 28 + svg_text_width(warning(r, text, sizeof text)));
    snprintf(text, sizeof text, "%s: average ranks by %s", r->t->experiment, r->t->metric);
    svg_begin(&s, in->alone, text, "Methods joined by a bar do not differ significantly.");
    draw_head(&s, r, &a);
    draw_axis(&s, &a, r->k);
    draw_cliques(&s, &a, r);
    draw_names(&s, &a, r, below);
    svg_end(&s);
}

cru_status plot_ranks(const plot_input *in, FILE *out, cru_error *err)
{
    const table *t = in->t;
    ranking r = {.t = t, .by = in->cliques, .places = malloc(((size_t)t->row_count + 1) * sizeof(place))};
    r.cols = malloc(((size_t)t->col_count + 1) * sizeof *r.cols);
    if (!r.places || !r.cols) cru_panic(CRU_NO_MEMORY, "plot: no memory for %lld methods", (long long)t->row_count);
    rank_methods(&r);
    cru_status status = CRU_OK;
    if (r.k < 2 || r.n < 2) {
        status = cru_fail(err, CRU_UNSUPPORTED,
                          "ranks need at least two methods and two columns in which all have a value; "
                          "there are %lld and %lld",
                          (long long)r.k, (long long)r.n);
    } else {
        r.difference = stats_critical_difference(r.k, r.n, t->alpha);
        test_all(&r);
        if (r.by == CLIQUES_WILCOXON) test_pairs(&r);
        draw(in, out, &r);
    }
    free(r.places);
    free(r.cols);
    free(r.p);
    return status;
}
