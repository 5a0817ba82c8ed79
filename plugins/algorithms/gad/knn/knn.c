// SPDX-License-Identifier: Apache-2.0
/* knn: the share of a class among the k nearest training rows, by raw features.
 *
 *     P(c | x) = sum over the k nearest i of class c of w_i / sum of w_i
 *     weights = uniform: w_i = 1      weights = distance: w_i = 1 / d_i; where some d_i = 0 those count alone, by 1
 *
 * d is the Minkowski distance of order p, Euclidean by default; of equally distant rows that of the smaller id wins.
 * The graph is not used, and nothing is scaled. Fewer training rows than k: all of them.
 *
 * Cover, Hart. Nearest Neighbor Pattern Classification. IEEE Transactions on Information Theory 1967. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "trees.h"

enum { UNIFORM, DISTANCE };
static const char *const weight_names[] = {"uniform", "distance", NULL};

typedef struct settings {
    int64_t k, weights, p;
    trees_settings table; /* zeros: the features alone, all classes weigh the same */
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, k, 5, 1, 1e6, "neighbours", .search = CRU_UNIFORM(3, 50)),
    CRU_CHOICE(settings, weights, UNIFORM, weight_names, "of a neighbour", .search = CRU_ANY_CHOICE),
    CRU_INT(settings, p, 2, 1, 2, "order of the distance", .search = CRU_ONE_OF(1, 2)),
    CRU_END,
};

typedef struct model {
    trees base;
    cru_dense points; /* the training rows by ascending id, whatever order they were drawn in: ties go by it */
    int32_t *labels;
} model;

/* The k nearest by sum of |differences|, one row of the result. */
static void nearest_by_l1(const cru_dense *points, const float *x, int64_t k, int32_t *ids, float *distances)
{
    int64_t found = 0;
    for (int64_t i = 0; i < points->rows; i++) {
        const float *y = points->values + i * points->cols;
        double sum = 0;
        for (int64_t j = 0; j < points->cols; j++) sum += fabs((double)x[j] - (double)y[j]);
        if (found == k && !((float)sum < distances[k - 1])) continue;
        int64_t place = found < k ? found++ : k - 1;
        for (; place > 0 && (float)sum < distances[place - 1]; place--)
            ids[place] = ids[place - 1], distances[place] = distances[place - 1];
        ids[place] = (int32_t)i, distances[place] = (float)sum;
    }
}

static cru_neighbours nearest(const model *m, const settings *s)
{
    const trees *b = &m->base;
    const cru_dense *points = &m->points;
    const int64_t k = s->k < points->rows ? s->k : points->rows, rows = b->all.rows;
    if (s->p == 2) return cru_knn(cru_ctx_pool(b->ctx), &b->all, points, &(cru_knn_options){.k = k});
    cru_neighbours near = {rows, k, cru_ctx_alloc(b->ctx, rows * k, sizeof(int32_t)),
                           cru_ctx_alloc(b->ctx, rows * k, sizeof(float))};
    for (int64_t i = 0; i < rows; i++)
        nearest_by_l1(points, b->all.values + i * points->cols, k, near.ids + i * k, near.distances + i * k);
    return near;
}

static double weight_of(const settings *s, double distance, bool same)
{
    if (s->weights == UNIFORM) return 1;
    return same ? distance == 0 : 1 / distance;
}

/* Logarithms of the shares, held off 0 by less than two shares are apart. */
static void score(void *self)
{
    const model *m = self;
    const trees *b = &m->base;
    const settings *s = b->settings;
    const double least = 1e-6;
    const int32_t classes = b->task->classes;
    const cru_neighbours near = nearest(m, s);
    double *share = cru_ctx_alloc(b->ctx, classes, sizeof *share);
    for (int64_t i = 0; i < near.rows; i++) {
        const float *distance = near.distances + i * near.k;
        double sum = 0;
        memset(share, 0, (size_t)classes * sizeof *share);
        for (int64_t j = 0; j < near.k; j++) {
            const double w = weight_of(s, (double)distance[j], distance[0] == 0);
            share[m->labels[near.ids[i * near.k + j]]] += w;
            sum += w;
        }
        for (int32_t c = 0; c < classes; c++) b->scores[i * classes + c] = (float)log(share[c] / sum + least);
    }
}

static int ascending(const void *a, const void *b)
{
    return *(const int32_t *)a - *(const int32_t *)b;
}

static void keep(void *self)
{
    model *m = self;
    const trees *b = &m->base;
    const cru_ids train = b->task->split.train;
    const int64_t cols = b->all.cols;
    int32_t *ids = cru_ctx_alloc(b->ctx, train.count, sizeof *ids);
    float *x = cru_ctx_alloc(b->ctx, train.count * cols, sizeof *x);
    m->labels = cru_ctx_alloc(b->ctx, train.count, sizeof *m->labels);
    memcpy(ids, train.ids, (size_t)train.count * sizeof *ids);
    qsort(ids, (size_t)train.count, sizeof *ids, ascending);
    for (int64_t i = 0; i < train.count; i++) {
        memcpy(x + i * cols, b->all.values + ids[i] * cols, (size_t)cols * sizeof *x);
        m->labels[i] = b->task->labels[ids[i]];
    }
    m->points = (cru_dense){train.count, cols, x};
}

CRU_PLUGIN = {
    TREES_METHOD(settings, schema, model, .grow = keep, .score = score),
    .name = "knn",
    .version = "1.0",
    .summary = "the share of a class among the nearest training rows",
    .citation = "Cover, Hart. Nearest Neighbor Pattern Classification. IEEE Transactions on Information Theory 1967.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
