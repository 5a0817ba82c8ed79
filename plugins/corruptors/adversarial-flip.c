// SPDX-License-Identifier: Apache-2.0
/* adversarial-flip: the training labels whose change misleads a graph network most.
 *
 * The network is replaced by one that can be solved: no activation between convolutions, and ridge regression of
 * one-hot labels Y of the training items T. With H = Â^hops X, Â = D^-1/2 (A + I) D^-1/2:
 *
 *     scores of the test items U = K Y      K = H_U H_T^T (H_T H_T^T + ridge I)^-1
 *     damage = mean over u of (1 - tanh(sharpness m_u)) / 2
 *     m_u = score of the true class - largest other score
 *
 * Scores are linear in the labels, so that a flip changes them by one column of K. In every round the `shortlist`
 * flips with the steepest gradient of the damage are tried, and the one that does most harm is made, until
 * floor(rate |T|) labels are changed or none does harm. An item is flipped once. Validation labels stay as they are.
 *
 * This is the attack of the paper (closed form of a linear GCN, tanh for the 0-1 loss); it solves for two classes at a
 * time by gradient steps on relaxed flips, here all classes are open and flips are made one by one. Its constants were
 * not at hand: ridge and sharpness are ours.
 *
 * Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM 2020. */
#include <math.h>
#include <stdlib.h>

#include <crucible/graph.h>
#include <crucible/linalg.h>
#include <crucible/pool.h>

#include "label-noise.h"

typedef struct settings {
    double rate, ridge, sharpness;
    int64_t hops, shortlist;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, rate, 0.3, 0, 1, "share of training labels that may change"),
    CRU_INT(settings, hops, 2, 0, 16, "convolutions of the network that is attacked"),
    CRU_FLOAT(settings, ridge, 1, 1e-9, 1e9, "ridge of its regression"),
    CRU_FLOAT(settings, sharpness, 5, 1e-3, 1e3, "of the step from right to wrong"),
    CRU_INT(settings, shortlist, 32, 0, 1e6, "flips tried in a round; 0: all"),
    CRU_END,
};

typedef struct attack {
    cru_data *data;
    const settings *s;
    cru_pool pool; /* an arena's */
    cru_ids train, test;
    int32_t classes;
    double *k;      /* train x test: column t of K is row t */
    double *scores; /* test x classes */
    uint8_t *done;  /* by training item */
} attack;

/* ---- the network in closed form ---------------------------------------------------------------------------------- */

/* out += weight * row i of x */
static void add_features(const cru_features *x, int64_t i, double weight, double *out)
{
    for (int64_t c = 0; x->dense && c < x->cols; c++) out[c] += weight * (double)x->dense[i * x->cols + c];
    for (int64_t e = x->dense ? 0 : x->sparse.offsets[i]; !x->dense && e < x->sparse.offsets[i + 1]; e++)
        out[x->sparse.ids[e]] += weight * (x->sparse.values ? (double)x->sparse.values[e] : 1);
}

static double dot_features(const cru_features *x, int64_t i, const double *row)
{
    double sum = 0;
    for (int64_t c = 0; x->dense && c < x->cols; c++) sum += row[c] * (double)x->dense[i * x->cols + c];
    for (int64_t e = x->dense ? 0 : x->sparse.offsets[i]; !x->dense && e < x->sparse.offsets[i + 1]; e++)
        sum += row[x->sparse.ids[e]] * (x->sparse.values ? (double)x->sparse.values[e] : 1);
    return sum;
}

/* H_T: train x features */
static double *train_rows(const attack *a, const cru_csr *adj)
{
    const cru_features *x = &a->data->x;
    const int64_t nodes = a->data->nodes;
    double *h = cru_pool_alloc(a->pool, a->train.count * x->cols, sizeof *h);
    double *walk = cru_pool_alloc(a->pool, nodes, sizeof *walk), *next = cru_pool_alloc(a->pool, nodes, sizeof *next);
    for (int64_t t = 0; t < a->train.count; t++) {
        for (int64_t v = 0; v < nodes; v++) walk[v] = v == a->train.ids[t];
        for (int64_t hop = 0; hop < a->s->hops; hop++) { /* a row vector times Â */
            for (int64_t v = 0; v < nodes; v++) next[v] = 0;
            for (int64_t v = 0; v < nodes; v++)
                for (int64_t e = adj->offsets[v]; walk[v] != 0 && e < adj->offsets[v + 1]; e++)
                    next[adj->ids[e]] += walk[v] * (double)adj->values[e];
            double *swap = walk;
            walk = next, next = swap;
        }
        for (int64_t v = 0; v < nodes; v++)
            if (walk[v] != 0) add_features(x, v, walk[v], h + t * x->cols);
    }
    return h;
}

/* H H_T^T: nodes x train */
static double *kernel(const attack *a, const cru_csr *adj, const double *h)
{
    const int64_t nodes = a->data->nodes, count = a->train.count, cols = a->data->x.cols;
    double *g = cru_pool_alloc(a->pool, nodes * count, sizeof *g);
    double *next = cru_pool_alloc(a->pool, nodes * count, sizeof *next);
#pragma omp parallel for schedule(static)
    for (int64_t v = 0; v < nodes; v++)
        for (int64_t t = 0; t < count; t++) g[v * count + t] = dot_features(&a->data->x, v, h + t * cols);
    for (int64_t hop = 0; hop < a->s->hops; hop++) {
#pragma omp parallel for schedule(static)
        for (int64_t v = 0; v < nodes; v++) {
            for (int64_t t = 0; t < count; t++) next[v * count + t] = 0;
            for (int64_t e = adj->offsets[v]; e < adj->offsets[v + 1]; e++)
                for (int64_t t = 0; t < count; t++)
                    next[v * count + t] += (double)adj->values[e] * g[adj->ids[e] * count + t];
        }
        double *swap = g;
        g = next, next = swap;
    }
    return g;
}

static cru_status solve(attack *a, cru_error *err)
{
    const int64_t count = a->train.count, tests = a->test.count;
    const cru_csr adj = cru_graph_gcn(a->pool, &a->data->graph, CRU_LOOPS_ADD);
    const double *g = kernel(a, &adj, train_rows(a, &adj));
    double *square = cru_pool_alloc(a->pool, count * count, sizeof *square);
    a->k = cru_pool_alloc(a->pool, count * tests, sizeof *a->k);
    a->scores = cru_pool_alloc(a->pool, tests * a->classes, sizeof *a->scores);
    for (int64_t i = 0; i < count; i++) {
        for (int64_t j = 0; j < count; j++) square[i * count + j] = g[a->train.ids[i] * count + j];
        square[i * count + i] += a->s->ridge;
        for (int64_t u = 0; u < tests; u++) a->k[i * tests + u] = g[a->test.ids[u] * count + i];
    }
    cru_status status = cru_cholesky(square, count, err);
    if (status) return status;
    cru_cholesky_solve(square, count, a->k, tests);
    for (int64_t t = 0; t < count; t++)
        for (int64_t u = 0; u < tests; u++)
            a->scores[u * a->classes + a->data->labels[a->train.ids[t]]] += a->k[t * tests + u];
    return CRU_OK;
}

/* ---- flips ------------------------------------------------------------------------------------------------------- */

/* Training item `t` gets label `to`. */
typedef struct flip {
    int64_t t;
    int32_t to;
    double gain;
} flip;

/* The largest score of a class that is not the true one. */
static int32_t rival(const double *row, int32_t classes, int32_t truth)
{
    int32_t best = truth == 0;
    for (int32_t c = 0; c < classes; c++)
        if (c != truth && row[c] > row[best]) best = c;
    return best;
}

/* The damage after one flip, or, with f NULL, before it. */
static double damage_after(const attack *a, const flip *f)
{
    double sum = 0, row[256];
    const int32_t from = f ? a->data->labels[a->train.ids[f->t]] : 0;
    for (int64_t u = 0; u < a->test.count; u++) {
        const int32_t truth = a->data->truth[a->test.ids[u]];
        for (int32_t c = 0; c < a->classes; c++) row[c] = a->scores[u * a->classes + c];
        if (f) row[from] -= a->k[f->t * a->test.count + u], row[f->to] += a->k[f->t * a->test.count + u];
        sum += (1 - tanh(a->s->sharpness * (row[truth] - row[rival(row, a->classes, truth)]))) / 2;
    }
    return sum / (double)a->test.count;
}

/* The derivative of the damage by every score: test x classes. */
static void slopes(const attack *a, double *slope)
{
    for (int64_t u = 0; u < a->test.count; u++) {
        const double *row = a->scores + u * a->classes;
        const int32_t truth = a->data->truth[a->test.ids[u]], other = rival(row, a->classes, truth);
        const double height = tanh(a->s->sharpness * (row[truth] - row[other]));
        const double steep = a->s->sharpness * (1 - height * height) / 2;
        for (int32_t c = 0; c < a->classes; c++)
            slope[u * a->classes + c] = c == other ? steep : c == truth ? -steep : 0;
    }
}

static int steepest_first(const void *x, const void *y)
{
    const flip *f = x, *g = y;
    if (f->gain > g->gain || f->gain < g->gain) return f->gain > g->gain ? -1 : 1;
    if (f->t != g->t) return f->t < g->t ? -1 : 1;
    return (f->to > g->to) - (f->to < g->to);
}

/* All flips of items that were not flipped, the steepest first; returns how many. */
static int64_t list_flips(const attack *a, double *slope, flip *flips)
{
    const int64_t tests = a->test.count;
    int64_t count = 0;
    slopes(a, slope);
    for (int64_t t = 0; t < a->train.count; t++) {
        const int32_t from = a->data->labels[a->train.ids[t]];
        double gain[256] = {0};
        for (int64_t u = 0; u < tests && !a->done[t]; u++)
            for (int32_t c = 0; c < a->classes; c++) gain[c] += a->k[t * tests + u] * slope[u * a->classes + c];
        for (int32_t c = 0; c < a->classes && !a->done[t]; c++)
            if (c != from) flips[count++] = (flip){t, c, gain[c] - gain[from]};
    }
    qsort(flips, (size_t)count, sizeof *flips, steepest_first);
    return count;
}

static void make(attack *a, const flip *f)
{
    int32_t *label = &a->data->labels[a->train.ids[f->t]];
    for (int64_t u = 0; u < a->test.count; u++) {
        a->scores[u * a->classes + *label] -= a->k[f->t * a->test.count + u];
        a->scores[u * a->classes + f->to] += a->k[f->t * a->test.count + u];
    }
    *label = f->to;
    a->done[f->t] = 1;
}

/* The damage in the end. */
static double flip_labels(attack *a, double damage)
{
    const int64_t budget = (int64_t)(a->s->rate * (double)a->train.count + 1e-9);
    flip *flips = cru_pool_alloc(a->pool, a->train.count * a->classes, sizeof *flips);
    double *slope = cru_pool_alloc(a->pool, a->test.count * a->classes, sizeof *slope);
    for (int64_t round = 0; round < budget; round++) {
        int64_t count = list_flips(a, slope, flips), best = -1;
        if (a->s->shortlist && count > a->s->shortlist) count = a->s->shortlist;
        for (int64_t i = 0; i < count; i++) {
            const double after = damage_after(a, &flips[i]);
            if (after > damage) damage = after, best = i;
        }
        if (best < 0) break;
        make(a, &flips[best]);
    }
    return damage;
}

/* The labelled ones of a part. */
static cru_ids labelled(const attack *a, cru_ids part, const int32_t *labels)
{
    int32_t *ids = cru_pool_alloc(a->pool, part.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < part.count; i++)
        if (labels[part.ids[i]] != CRU_UNLABELLED) ids[count++] = part.ids[i];
    return (cru_ids){ids, count};
}

static cru_status run(attack *a, const cru_damage *d)
{
    cru_data *data = d->data;
    a->train = labelled(a, data->split.train, data->labels);
    a->test = labelled(a, data->split.test, data->truth);
    if (a->train.count == 0 || a->test.count == 0)
        return cru_fail(d->err, CRU_UNSUPPORTED, "there is no labelled training or test item");
    a->done = cru_pool_alloc(a->pool, a->train.count, 1);
    cru_status status = solve(a, d->err);
    if (status) return status;
    const double before = damage_after(a, NULL), after = flip_labels(a, before);
    noise_report_labels(data, noise_chosen_items(data, NOISE_TRAIN), d->report);
    cru_report_number(d->report, "damage_before", before);
    cru_report_number(d->report, "damage_after", after);
    return CRU_OK;
}

static cru_status apply(const cru_damage *d)
{
    const cru_data *data = d->data;
    if (data->candidates) return cru_fail(d->err, CRU_UNSUPPORTED, "labels are candidate sets");
    if (data->classes < 2 || data->classes > 256)
        return cru_fail(d->err, CRU_UNSUPPORTED, "2 to 256 classes can be attacked, here are %d", data->classes);
    if (data->x.cols == 0) return cru_fail(d->err, CRU_UNSUPPORTED, "there are no features to learn from");
    cru_arena *scratch = cru_arena_create();
    attack a = {.data = d->data, .s = d->settings, .pool = cru_arena_pool(scratch), .classes = data->classes};
    const cru_status status = run(&a, d);
    cru_arena_destroy(scratch);
    return status;
}

CRU_PLUGIN = {
    CRU_CORRUPTOR(.apply = apply),
    CRU_SETTINGS(settings, schema),
    .name = "adversarial-flip",
    .version = "1.0",
    .summary = "label noise that misleads a linear graph network most",
    .citation = "Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM "
                "2020.",
    .authors = "The Crucible authors",
    .license = "Apache-2.0",
    .problems = CRU_NODES | CRU_ANOMALY,
};
