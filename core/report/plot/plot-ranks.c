// SPDX-License-Identifier: Apache-2.0
/* plot-ranks.c: the critical-difference diagram of Demšar (JMLR 2006). Methods stand on an axis by their average rank;
 * a bar joins those that differ by less than Nemenyi's critical difference. */
#include <math.h>
#include <stdlib.h>

#include "report/format/escape.h"
#include "report/plot/panel.h"
#include "report/plot/plot.h"
#include "report/table/stats.h"

enum { LINE = 18, AXIS_WIDTH = 420, TOP = 70 };

typedef struct place {
    double rank;
    int64_t row;
} place;

typedef struct ranking {
    const table *t;
    place *places; /* by rank */
    int64_t k;     /* methods */
    int64_t n;     /* columns in which all of them have a value */
    double difference;
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
        r->n += complete;
    }
    for (int64_t i = 0; i < r->k && r->n > 0; i++) r->places[i].rank /= (double)r->n;
    qsort(r->places, (size_t)r->k, sizeof *r->places, by_rank);
}

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
        while (last + 1 < r->k && r->places[last + 1].rank - r->places[i].rank < r->difference) last++;
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

static void draw(const plot_input *in, FILE *out, const ranking *r)
{
    char text[240];
    double margin = widest_name(r) + 24;
    axis a = {.low = 1, .high = (double)r->k, .from = margin, .to = margin + AXIS_WIDTH};
    double below = TOP + 24 + 8 * (double)draw_cliques(NULL, &a, r);
    svg s = {.out = out, .width = AXIS_WIDTH + 2 * margin, .height = below + LINE * (double)((r->k + 1) / 2) + 10};
    snprintf(text, sizeof text, "%s: average ranks by %s", r->t->experiment, r->t->metric);
    svg_begin(&s, in->alone, text, "Methods joined by a bar do not differ significantly (Nemenyi test).");
    double reach = axis_at(&a, 1 + r->difference);
    snprintf(text, sizeof text, "critical difference %.2f (α = %g, %lld columns)", r->difference, r->t->alpha,
             (long long)r->n);
    svg_text(&s, (svg_point){margin, 18}, SVG_START, "title", text);
    svg_line(&s, (svg_point){margin, 30}, (svg_point){reach < s.width - 10 ? reach : s.width - 10, 30}, "clique");
    draw_axis(&s, &a, r->k);
    draw_cliques(&s, &a, r);
    draw_names(&s, &a, r, below);
    svg_end(&s);
}

cru_status plot_ranks(const plot_input *in, FILE *out, cru_error *err)
{
    ranking r = {.t = in->t, .places = malloc(((size_t)in->t->row_count + 1) * sizeof(place))};
    if (!r.places) return cru_fail(err, CRU_NO_MEMORY, "plot: no memory for %lld methods", (long long)in->t->row_count);
    rank_methods(&r);
    cru_status status = CRU_OK;
    if (r.k < 2 || r.n < 2) {
        status = cru_fail(err, CRU_UNSUPPORTED,
                          "ranks need at least two methods and two columns in which all have a value; "
                          "there are %lld and %lld",
                          (long long)r.k, (long long)r.n);
    } else {
        r.difference = stats_critical_difference(r.k, r.n, in->t->alpha);
        draw(in, out, &r);
    }
    free(r.places);
    return status;
}
