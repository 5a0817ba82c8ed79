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
#include "boosting.h"

typedef struct settings {
    boosting_settings boosting;
    trees_settings table;
} settings;

static const cru_param schema[] = {
    BOOSTING_SETTINGS(settings, boosting, 0.3, 6),
    TREES_SETTINGS(settings, table),
    CRU_END,
};

typedef struct model {
    trees base;
    boosting trees;
} model;

static void grow(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const boosting_table table = {&m->base.samples.x, &m->base.samples, "hist"};
    m->trees = boosting_grow(m->base.ctx, &s->boosting, &table);
}

static void score(void *self)
{
    const model *m = self;
    boosting_score(m->base.ctx, m->trees, &m->base.all, m->base.task->classes, m->base.scores);
}

static void release(void *self)
{
    boosting_destroy(((model *)self)->trees);
}

CRU_PLUGIN = {
    TREES_METHOD(settings, schema, model, .grow = grow, .score = score, .release = release),
    .name = "xgb-graph",
    .version = "1.0",
    .summary = "XGBoost on features and their means over the neighbourhood",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
