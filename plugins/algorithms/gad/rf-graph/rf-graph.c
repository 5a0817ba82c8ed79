// SPDX-License-Identifier: Apache-2.0
/* rf-graph: a random forest on the features of a node and the means over its neighbourhood.
 *
 *     F = [X | P X | P^2 X]      P: the mean over in-neighbours      P(class) = mean over the trees' leaves
 *
 * Trees are grown on bootstraps until their leaves are pure, with floor(sqrt(columns)) columns drawn at a node;
 * anomalies weigh as much as normal nodes do together. No validation, no early stopping. layers = 0 is the plain random
 * forest.
 *
 * Tang, Hua, Gao, Zhao, Li. GADBench. NeurIPS 2023. Breiman. Random Forests. Machine Learning 2001. */
#include <math.h>

#include <crucible/draft/forest.h>

#include "trees.h"

typedef struct settings {
    int64_t trees, impurity, features;
    double sample;
    trees_settings table;
} settings;

static const char *const feature_names[] = {"sqrt", "log2", "all", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, trees, 100, 1, 100000, "trees", .search = CRU_UNIFORM(10, 200)),
    CRU_CHOICE(settings, impurity, CRU_GINI, cru_impurity_names, "what a split reduces", .search = CRU_ANY_CHOICE),
    CRU_CHOICE(settings, features, 0, feature_names, "columns drawn at a node", .search = CRU_ANY_CHOICE),
    CRU_FLOAT(settings, sample, 1, 0, 1, "draws a tree, as a share of the rows; 0: all rows once",
              .search = CRU_ONE_OF(0.5, 0.75, 1)),
    TREES_SETTINGS(settings, table),
    CRU_END,
};

typedef struct model {
    trees base;
    cru_forest *forest;
} model;

/* Logarithms of the shares, held off 0 by so little that no two scores of a forest meet. */
static void score(void *self)
{
    model *m = self;
    const double least = 1e-6;
    cru_forest_predict(m->forest, &m->base.all, m->base.scores);
    const int64_t count = m->base.task->items * m->base.task->classes;
    for (int64_t i = 0; i < count; i++) m->base.scores[i] = (float)log((double)m->base.scores[i] + least);
}

static void grow(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const double cols = (double)m->base.samples.x.cols;
    const int64_t drawn[] = {0, (int64_t)fmax(1, floor(log2(cols))), m->base.samples.x.cols};
    cru_rng rng = cru_ctx_stream(m->base.ctx, "forest");
    m->forest = cru_forest_grow(&(cru_forest_shape){.trees = s->trees,
                                                    .impurity = (cru_impurity)s->impurity,
                                                    .sample = s->sample,
                                                    .features = drawn[s->features]},
                                &m->base.samples, &rng);
}

static void release(void *self)
{
    cru_forest_destroy(((model *)self)->forest);
}

CRU_PLUGIN = {
    TREES_METHOD(settings, schema, model, .grow = grow, .score = score, .release = release),
    .name = "rf-graph",
    .version = "1.0",
    .summary = "random forest on features and their means over the neighbourhood",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
