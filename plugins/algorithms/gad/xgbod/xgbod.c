// SPDX-License-Identifier: Apache-2.0
/* xgbod: XGBoost on the features and the scores of a pool of outlier detectors.
 *
 *     F = [X | knn(k), lof(k) for k in {1, 3, 5, 10, 20, 30, 40, 50} below the training rows | hbos | ocsvm | iforest]
 *
 * The detectors (outliers.h) learn from the training rows without their labels; a training row is not its own
 * neighbour. Boosting is unweighted, of depth 3. The graph is not used. Of more than `most` training nodes, too many
 * for kernels and neighbours, only the `first` with the lowest numbers teach anything, as in the study's code.
 *
 * Zhao, Hryniewicki. XGBOD: Improving Supervised Outlier Detection with Unsupervised Representation Learning. IJCNN
 * 2018. */
#include <stdlib.h>
#include <string.h>

#include "boosting.h"
#include "outliers.h"

typedef struct settings {
    boosting_settings boosting;
    int64_t most, first;
    trees_settings table; /* zeros: the features alone, all classes weigh the same */
} settings;

static const cru_param schema[] = {
    BOOSTING_SETTINGS(settings, boosting, 0.1, 3),
    CRU_INT(settings, most, 100000, 1, 1e9, "training nodes that may all teach"),
    CRU_INT(settings, first, 2000, 1, 1e9, "of more, how many do: those with the lowest numbers"),
    CRU_END,
};

static const double neighbours[] = {1, 3, 5, 10, 20, 30, 40, 50}, bins[] = {5, 10, 15, 20, 25, 30, 50};
static const double nus[] = {.01, .1, .2, .3, .4, .5, .6, .7, .8, .9, .99},
                    trees_in[] = {10, 20, 50, 70, 100, 150, 200};

typedef struct model {
    trees base;
    outlier_detector detector[64];
    int64_t detectors;
    outliers *outliers;
    boosting trees;
} model;

/* [X | scores] */
static cru_dense describe(const model *m, const cru_dense *x, bool training)
{
    const int64_t cols = x->cols + m->detectors;
    double *score = cru_ctx_alloc(m->base.ctx, x->rows * m->detectors, sizeof *score);
    float *all = cru_ctx_alloc(m->base.ctx, x->rows * cols, sizeof *all);
    outliers_score(m->outliers, x, training, score);
    for (int64_t i = 0; i < x->rows; i++) {
        memcpy(all + i * cols, x->values + i * x->cols, (size_t)x->cols * sizeof *all);
        for (int64_t j = 0; j < m->detectors; j++) all[i * cols + x->cols + j] = (float)score[i * m->detectors + j];
    }
    return (cru_dense){x->rows, cols, all};
}

static void add_detectors(model *m, outlier_kind kind, const double *values, size_t size)
{
    for (size_t i = 0; i < size / sizeof *values; i++)
        m->detector[m->detectors++] = (outlier_detector){kind, values[i]};
}

static void pool(model *m)
{
    for (size_t i = 0; i < sizeof neighbours / sizeof *neighbours; i++) {
        if (neighbours[i] >= (double)m->base.samples.x.rows) break;
        add_detectors(m, OUTLIER_KNN, neighbours + i, sizeof *neighbours);
        add_detectors(m, OUTLIER_LOF, neighbours + i, sizeof *neighbours);
    }
    add_detectors(m, OUTLIER_HBOS, bins, sizeof bins);
    add_detectors(m, OUTLIER_OCSVM, nus, sizeof nus);
    add_detectors(m, OUTLIER_IFOREST, trees_in, sizeof trees_in);
}

static int ascending(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* The samples of the training nodes with the lowest numbers. */
static cru_samples first_samples(const trees *t, int64_t count)
{
    const cru_ids train = t->task->split.train;
    const int64_t cols = t->all.cols;
    int32_t *ids = cru_ctx_alloc(t->ctx, train.count, sizeof *ids),
            *labels = cru_ctx_alloc(t->ctx, count, sizeof *labels);
    float *x = cru_ctx_alloc(t->ctx, count * cols, sizeof *x);
    memcpy(ids, train.ids, (size_t)train.count * sizeof *ids);
    qsort(ids, (size_t)train.count, sizeof *ids, ascending);
    for (int64_t i = 0; i < count; i++) {
        memcpy(x + i * cols, t->all.values + ids[i] * cols, (size_t)cols * sizeof *x);
        labels[i] = t->task->labels[ids[i]];
    }
    return (cru_samples){.x = {count, cols, x}, .labels = labels, .classes = t->samples.classes};
}

static void grow(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    if (m->base.samples.x.rows > s->most && m->base.samples.x.rows > s->first)
        m->base.samples = first_samples(&m->base, s->first);
    const cru_samples *samples = &m->base.samples;
    cru_rng rng = cru_ctx_stream(m->base.ctx, "isolation");
    pool(m);
    m->outliers = outliers_create(m->base.ctx, &samples->x, m->detector, m->detectors, &rng);
    const cru_dense x = describe(m, &samples->x, true);
    m->trees = boosting_grow(m->base.ctx, &s->boosting, &(boosting_table){&x, samples, "exact"});
}

static void score(void *self)
{
    const model *m = self;
    const cru_dense x = describe(m, &m->base.all, false);
    boosting_score(m->base.ctx, m->trees, &x, m->base.task->classes, m->base.scores);
}

static void release(void *self)
{
    boosting_destroy(((model *)self)->trees);
}

CRU_PLUGIN = {
    TREES_METHOD(settings, schema, model, .grow = grow, .score = score, .release = release),
    .name = "xgbod",
    .version = "1.1",
    .summary = "XGBoost on features and scores of outlier detectors",
    .citation = "Zhao, Hryniewicki. XGBOD: Improving Supervised Outlier Detection with Unsupervised Representation "
                "Learning. IJCNN 2018.",
    .problems = CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
