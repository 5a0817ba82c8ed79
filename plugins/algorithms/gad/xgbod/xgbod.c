// SPDX-License-Identifier: Apache-2.0
/* xgbod: XGBoost on the features and the scores of a pool of outlier detectors.
 *
 *     F = [X | knn(k), lof(k) for k in {1, 3, 5, 10, 20, 30, 40, 50} below the training rows | hbos | ocsvm | iforest]
 *
 * The detectors (outliers.h) learn from the training rows without their labels; a training row is not its own
 * neighbour. Boosting is unweighted, of depth 3. The graph is not used.
 *
 * Zhao, Hryniewicki. XGBOD: Improving Supervised Outlier Detection with Unsupervised Representation Learning. IJCNN
 * 2018. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <xgboost/c_api.h>

#include <crucible/draft/forest.h>

#include "outliers.h"
#include "trees.h"

typedef struct settings {
    int64_t rounds, depth, booster;
    double eta, lambda, subsample;
    trees_settings table; /* zeros: the features alone, all classes weigh the same */
} settings;

static const char *const booster_names[] = {"gbtree", "dart", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, rounds, 100, 1, 100000, "boosting rounds", .search = CRU_UNIFORM(10, 200)),
    CRU_FLOAT(settings, eta, 0.1, 0, 1, "share of a tree that is added", .search = CRU_LOG_UNIFORM(0.05, 0.5)),
    CRU_INT(settings, depth, 3, 1, 64, "most splits above a leaf"),
    CRU_FLOAT(settings, lambda, 1, 0, CRU_NO_MAX, "L2 penalty of the leaves", .search = CRU_ONE_OF(0, 1, 10)),
    CRU_FLOAT(settings, subsample, 1, 0.01, 1, "share of the rows a tree sees", .search = CRU_ONE_OF(0.5, 0.75, 1)),
    CRU_CHOICE(settings, booster, 0, booster_names, "of XGBoost", .search = CRU_ANY_CHOICE),
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
    BoosterHandle booster;
} model;

static bool worked(const model *m, int result)
{
    if (result) cru_ctx_fail(m->base.ctx, CRU_FAILED, "XGBoost: %s", XGBGetLastError());
    return result == 0;
}

static bool set_number(const model *m, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return worked(m, XGBoosterSetParam(m->booster, name, text));
}

static bool set_up(const model *m)
{
    const settings *s = m->base.settings;
    return worked(m, XGBoosterSetParam(m->booster, "booster", booster_names[s->booster])) &&
           worked(m, XGBoosterSetParam(m->booster, "tree_method", "exact")) &&
           worked(m, XGBoosterSetParam(m->booster, "objective", "binary:logistic")) && set_number(m, "verbosity", 0) &&
           set_number(m, "nthread", cru_ctx_threads(m->base.ctx)) && set_number(m, "base_score", 0.5) &&
           set_number(m, "eta", s->eta) && set_number(m, "max_depth", (double)s->depth) &&
           set_number(m, "lambda", s->lambda) && set_number(m, "subsample", s->subsample);
}

/* [X | scores], in XGBoost's form */
static bool make_matrix(const model *m, const cru_dense *x, bool training, DMatrixHandle *matrix)
{
    const int64_t cols = x->cols + m->detectors;
    double *score = cru_ctx_alloc(m->base.ctx, x->rows * m->detectors, sizeof *score);
    float *all = cru_ctx_alloc(m->base.ctx, x->rows * cols, sizeof *all);
    outliers_score(m->outliers, x, training, score);
    for (int64_t i = 0; i < x->rows; i++) {
        memcpy(all + i * cols, x->values + i * x->cols, (size_t)x->cols * sizeof *all);
        for (int64_t j = 0; j < m->detectors; j++) all[i * cols + x->cols + j] = (float)score[i * m->detectors + j];
    }
    return worked(m, XGDMatrixCreateFromMat_omp(all, (bst_ulong)x->rows, (bst_ulong)cols, NAN, matrix,
                                                cru_ctx_threads(m->base.ctx)));
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

static void grow(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_samples *samples = &m->base.samples;
    cru_rng rng = cru_ctx_stream(m->base.ctx, "isolation");
    DMatrixHandle matrix = NULL;
    float *labels = cru_ctx_alloc(m->base.ctx, samples->x.rows, sizeof *labels);
    for (int64_t i = 0; i < samples->x.rows; i++) labels[i] = (float)samples->labels[i];
    pool(m);
    m->outliers = outliers_create(m->base.ctx, &samples->x, m->detector, m->detectors, &rng);
    bool good = make_matrix(m, &samples->x, true, &matrix) &&
                worked(m, XGDMatrixSetFloatInfo(matrix, "label", labels, (bst_ulong)samples->x.rows)) &&
                worked(m, XGBoosterCreate(&matrix, 1, &m->booster)) && set_up(m);
    for (int64_t k = 0; good && k < s->rounds; k++)
        good = worked(m, XGBoosterUpdateOneIter(m->booster, (int)k, matrix));
    XGDMatrixFree(matrix);
}

static void score(void *self)
{
    model *m = self;
    enum { MARGIN = 1 };
    DMatrixHandle matrix = NULL;
    bst_ulong count = 0;
    const float *margin = NULL;
    bool good = make_matrix(m, &m->base.all, false, &matrix) &&
                worked(m, XGBoosterPredict(m->booster, matrix, MARGIN, 0, 0, &count, &margin));
    for (int64_t i = 0; good && i < m->base.task->items; i++) m->base.scores[2 * i + 1] = margin[i];
    XGDMatrixFree(matrix);
}

static void release(void *self)
{
    XGBoosterFree(((model *)self)->booster);
}

static const trees_learner learner = {TREES_VTABLE, sizeof(model), offsetof(settings, table), grow, score, release};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "xgbod",
    .version = "1.0",
    .summary = "XGBoost on features and scores of outlier detectors",
    .citation = "Zhao, Hryniewicki. XGBOD: Improving Supervised Outlier Detection with Unsupervised Representation "
                "Learning. IJCNN 2018.",
    .problems = CRU_ANOMALY,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &learner,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
