// SPDX-License-Identifier: Apache-2.0
/* xgb-graph: boosted trees on the features of a node and the means over its neighbourhood.
 *
 *     F = [X | P X | P^2 X]      P: the mean over in-neighbours      margin = sum of the trees' leaves
 *
 * XGBoost with histograms, 0.5 as the first guess (newer versions would estimate it, which changes all trees) and
 * anomalies that weigh as much as normal nodes do together. All rounds are used: no early stopping. Draws nothing
 * unless subsample < 1, so the seed does not matter. layers = 0 is plain XGBoost.
 *
 * Tang, Hua, Gao, Zhao, Li. GADBench. NeurIPS 2023. Chen, Guestrin. XGBoost. KDD 2016. */
#include <math.h>
#include <stdio.h>

#include <xgboost/c_api.h>

#include <crucible/draft/forest.h>

#include "trees.h"

typedef struct settings {
    int64_t rounds, depth, booster;
    double eta, lambda, subsample;
    trees_settings table;
} settings;

static const char *const booster_names[] = {"gbtree", "dart", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, rounds, 100, 1, 100000, "boosting rounds", .search = CRU_UNIFORM(10, 200)),
    CRU_FLOAT(settings, eta, 0.3, 0, 1, "share of a tree that is added", .search = CRU_LOG_UNIFORM(0.05, 0.5)),
    CRU_INT(settings, depth, 6, 1, 64, "most splits above a leaf"),
    CRU_FLOAT(settings, lambda, 1, 0, CRU_NO_MAX, "L2 penalty of the leaves", .search = CRU_ONE_OF(0, 1, 10)),
    CRU_FLOAT(settings, subsample, 1, 0.01, 1, "share of the rows a tree sees", .search = CRU_ONE_OF(0.5, 0.75, 1)),
    CRU_CHOICE(settings, booster, 0, booster_names, "of XGBoost", .search = CRU_ANY_CHOICE),
    TREES_SETTINGS(settings, table),
    CRU_END,
};

typedef struct model {
    trees base;
    BoosterHandle booster;
} model;

/* XGBoost's functions return 0, or -1 and leave a message. */
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
    const int32_t classes = m->base.samples.classes;
    return worked(m, XGBoosterSetParam(m->booster, "booster", booster_names[s->booster])) &&
           worked(m, XGBoosterSetParam(m->booster, "tree_method", "hist")) &&
           worked(m, XGBoosterSetParam(m->booster, "objective", classes == 2 ? "binary:logistic" : "multi:softprob")) &&
           (classes == 2 || set_number(m, "num_class", classes)) && set_number(m, "verbosity", 0) &&
           set_number(m, "nthread", cru_ctx_threads(m->base.ctx)) && set_number(m, "base_score", 0.5) &&
           set_number(m, "eta", s->eta) && set_number(m, "max_depth", (double)s->depth) &&
           set_number(m, "lambda", s->lambda) && set_number(m, "subsample", s->subsample);
}

static bool make_matrix(const model *m, const cru_dense *x, DMatrixHandle *matrix)
{
    return worked(m, XGDMatrixCreateFromMat_omp(x->values, (bst_ulong)x->rows, (bst_ulong)x->cols, NAN, matrix,
                                                cru_ctx_threads(m->base.ctx)));
}

static void boost(model *m, DMatrixHandle matrix)
{
    const cru_samples *samples = &m->base.samples;
    const int64_t rounds = ((const settings *)m->base.settings)->rounds;
    float *labels = cru_ctx_alloc(m->base.ctx, samples->x.rows, sizeof *labels);
    for (int64_t i = 0; i < samples->x.rows; i++) labels[i] = (float)samples->labels[i];
    bool good = worked(m, XGDMatrixSetFloatInfo(matrix, "label", labels, (bst_ulong)samples->x.rows));
    if (good && samples->weights)
        good = worked(m, XGDMatrixSetFloatInfo(matrix, "weight", samples->weights, (bst_ulong)samples->x.rows));
    good = good && worked(m, XGBoosterCreate(&matrix, 1, &m->booster)) && set_up(m);
    for (int64_t k = 0; good && k < rounds; k++) good = worked(m, XGBoosterUpdateOneIter(m->booster, (int)k, matrix));
}

/* Margins are logits: one number z for two classes, (0, z); else one for each class. */
static void score(void *self)
{
    model *m = self;
    enum { MARGIN = 1 };
    const int64_t items = m->base.task->items, classes = m->base.task->classes;
    DMatrixHandle matrix = NULL;
    bst_ulong count = 0;
    const float *margin = NULL;
    bool good = make_matrix(m, &m->base.all, &matrix) &&
                worked(m, XGBoosterPredict(m->booster, matrix, MARGIN, 0, 0, &count, &margin));
    for (int64_t i = 0; good && i < items; i++) {
        if (classes == 2) m->base.scores[2 * i + 1] = margin[i];
        for (int64_t c = 0; classes > 2 && c < classes; c++) m->base.scores[i * classes + c] = margin[i * classes + c];
    }
    XGDMatrixFree(matrix);
}

static void grow(void *self)
{
    model *m = self;
    DMatrixHandle matrix = NULL;
    if (make_matrix(m, &m->base.samples.x, &matrix)) boost(m, matrix);
    XGDMatrixFree(matrix);
}

static void release(void *self)
{
    XGBoosterFree(((model *)self)->booster);
}

static const trees_learner learner = {TREES_VTABLE, sizeof(model), offsetof(settings, table), grow, score, release};

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "xgb-graph",
    .version = "1.0",
    .summary = "XGBoost on features and their means over the neighbourhood",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &learner,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
