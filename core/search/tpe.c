// SPDX-License-Identifier: Apache-2.0
#include "search/tpe.h"

#include <stdlib.h>

enum { CANDIDATES = 24 };
static const double better_share = 0.15;

cru_rng axis_stream(const cru_rng *rng, const char *key)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (; *key; key++) hash = (hash ^ (uint8_t)*key) * 0x100000001b3u;
    return cru_rng_split(rng, hash);
}

/* ---- which settings are the better ones ------------------------------------------------------------------ */

typedef struct ranked {
    double score;
    int64_t index;
} ranked;

static int by_score(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score > y->score ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static ranked *rank(const tpe_history *history)
{
    ranked *order = calloc((size_t)history->count + 1, sizeof *order);
    if (!order) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    for (int64_t i = 0; i < history->count; i++) order[i] = (ranked){history->scores[i], i};
    qsort(order, (size_t)history->count, sizeof *order, by_score);
    return order;
}

/* ---- one axis -------------------------------------------------------------------------------------------- */

/* A density on one axis. Of an interval: an equal mixture of bumps at `centres`, in ascending order, and of the flat
 * prior. Of a list: the weight of every value, one for the prior and one for every setting that has it. */
typedef struct density {
    int64_t levels; /* 0: an interval */
    axis_range range;
    double *centres, *widths;
    int64_t count;
    double *weights;
} density;

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* A bump reaches to the farther of its neighbours, the ends of the axis included, within limits. */
static void set_widths(density *d)
{
    double span = d->range.high - d->range.low, least = span / fmin(100, (double)d->count + 1);
    for (int64_t i = 0; i < d->count; i++) {
        double left = d->centres[i] - (i > 0 ? d->centres[i - 1] : d->range.low);
        double right = (i + 1 < d->count ? d->centres[i + 1] : d->range.high) - d->centres[i];
        d->widths[i] = fmin(fmax(fmax(left, right), least), span);
    }
}

static double *numbers(int64_t count)
{
    double *list = calloc((size_t)count + 1, sizeof *list);
    if (!list) cru_panic(CRU_NO_MEMORY, "no memory for a search");
    return list;
}

/* Of the given settings, by their coordinates on the axis. */
static density density_make(const search_axis *axis, const double *coordinates, int64_t count)
{
    int64_t levels = axis_levels(axis);
    density d = {.levels = levels,
                 .range = axis_bounds(axis),
                 .centres = numbers(count),
                 .widths = numbers(count),
                 .weights = numbers(levels)};
    for (int64_t k = 0; k < levels; k++) d.weights[k] = 1;
    for (int64_t i = 0; i < count; i++) {
        if (isnan(coordinates[i])) continue;
        if (levels)
            d.weights[(int64_t)coordinates[i]]++;
        else
            d.centres[d.count++] = coordinates[i];
    }
    qsort(d.centres, (size_t)d.count, sizeof *d.centres, by_value);
    set_widths(&d);
    return d;
}

static void density_free(density *d)
{
    free(d->centres);
    free(d->widths);
    free(d->weights);
}

/* Of a normal bump, inside the axis: bumps are cut off at its ends. */
static double mass_inside(const density *d, int64_t i)
{
    double scale = 1 / (sqrt(2) * d->widths[i]);
    return 0.5 * (erf((d->range.high - d->centres[i]) * scale) - erf((d->range.low - d->centres[i]) * scale));
}

/* Up to a factor that does not depend on x, which the choice of the largest ratio does not need. */
static double density_at(const density *d, double x)
{
    static const double root_of_2_pi = 2.5066282746310002;
    if (d->levels) return d->weights[(int64_t)x];
    double sum = 1 / (d->range.high - d->range.low);
    for (int64_t i = 0; i < d->count; i++) {
        double z = (x - d->centres[i]) / d->widths[i];
        sum += exp(-0.5 * z * z) / (root_of_2_pi * d->widths[i] * mass_inside(d, i));
    }
    return sum;
}

static double density_draw(const density *d, cru_rng *rng)
{
    if (d->levels) return (double)cru_rng_categorical(rng, d->weights, d->levels);
    int64_t i = cru_rng_below(rng, d->count + 1);
    double span = d->range.high - d->range.low;
    if (i == d->count) return d->range.low + span * cru_rng_uniform(rng);
    for (;;) {
        double x = d->centres[i] + d->widths[i] * cru_rng_normal(rng);
        if (x >= d->range.low && x < d->range.high) return x;
    }
}

static double propose(const density *l, const density *g, cru_rng *rng)
{
    double best = -1, chosen = 0;
    for (int i = 0; i < CANDIDATES; i++) {
        double x = density_draw(l, rng), ratio = density_at(l, x) / density_at(g, x);
        if (ratio <= best) continue;
        best = ratio;
        chosen = x;
    }
    return chosen;
}

void tpe_propose(const search_axis *axes, int64_t axis_count, const tpe_history *history, const cru_rng *rng,
                 double *point)
{
    ranked *order = rank(history);
    int64_t good = (int64_t)ceil(better_share * (double)history->finished);
    double *column = numbers(history->count);
    for (int64_t a = 0; a < axis_count; a++) {
        for (int64_t i = 0; i < history->count; i++) column[i] = history->points[order[i].index][a];
        density l = density_make(&axes[a], column, good);
        density g = density_make(&axes[a], column + good, history->count - good);
        cru_rng own = axis_stream(rng, axis_name(&axes[a]));
        point[a] = propose(&l, &g, &own);
        density_free(&l);
        density_free(&g);
    }
    free(column);
    free(order);
}
