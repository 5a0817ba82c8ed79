// SPDX-License-Identifier: Apache-2.0
/* pc-gnn: chebnet on a graph without dissimilar edges and with new ones among similar anomalies.
 *
 * Once, on the raw features:
 *   1. the share `remove` of all edges with the largest |x_u - x_v|_1 goes;
 *   2. k = min(floor(add * mean in-degree of the training anomalies), most) + 1, and every training anomaly aggregates
 *      from its k nearest among them, itself included; an edge twice counts twice.
 *
 *     loss = 1/|train| sum_i din(i) w_yi CE_i / max_v din(v)      w = (1, normals / anomalies)      din: in the new graph
 *
 * The paper learns the distance, repeats the choice and picks nodes for every step; the anomaly study does not.
 *
 * Liu, Ao, Qin, Chi, Feng, Yang, He. Pick and Choose: A GNN-based Imbalanced Learning Approach for Fraud Detection.
 * WWW 2021. */
#include <math.h>

#include "cheb-net.h"
#include "prune.h"
#include "views.h"

enum { ANOMALY = 1 };

typedef struct settings {
    int64_t terms, hidden, most, distance, activation;
    double remove, add;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, terms, 2, 1, CRU_MAX_LAYERS, "Chebyshev polynomials", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after the first two layers"),
    CRU_FLOAT(settings, remove, 0.7, 0, 1, "share of the edges that go", .search = CRU_UNIFORM(0.01, 0.8)),
    CRU_FLOAT(settings, add, 0.3, 0, 1, "new edges of an anomaly, by its in-degree", .search = CRU_UNIFORM(0.01, 0.8)),
    CRU_INT(settings, most, 5, 0, 1e6, "new edges of an anomaly besides its self-loop"),
    CRU_CHOICE(settings, distance, CRU_COSINE, view_distance_names, "between anomalies", .search = CRU_ANY_CHOICE),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_END,
};

typedef struct model {
    cheb_net net;
    cru_tensor *weight; /* of each training node in the loss: din(i) w_yi / max_v din(v) */
} model;

static cru_csr without_dissimilar(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_csr *g = &l->task->graph;
    const int64_t cols = l->x.cols, edges = cru_csr_nnz(g);
    double *key = cru_ctx_alloc(l->ctx, edges, sizeof *key);
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *x = cru_tensor_host(l->tape, cru_input_dense(l->tape, &l->x));
    for (int64_t v = 0; v < g->rows; v++)
        for (int64_t e = g->offsets[v]; e < g->offsets[v + 1]; e++)
            for (int64_t j = 0; j < cols; j++)
                key[e] -= fabs((double)x[g->ids[e] * cols + j] - (double)x[v * cols + j]);
    return prune_edges(l->ctx, g, key, (int64_t)floor(s->remove * (double)edges));
}

static bool marked(void *user, int64_t row, int32_t col, float value)
{
    (void)col, (void)value;
    return ((const uint8_t *)user)[row];
}

static cru_csr with_anomalies_joined(cru_learner *l, const cru_csr *g)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    uint8_t *anomaly = cru_ctx_alloc(l->ctx, task->nodes, 1);
    int32_t *ids = cru_ctx_alloc(l->ctx, task->nodes, sizeof *ids);
    int64_t count = 0;
    double degrees = 0;
    for (int64_t i = 0; i < task->split.train.count; i++)
        anomaly[task->split.train.ids[i]] = task->labels[task->split.train.ids[i]] == ANOMALY;
    for (int32_t v = 0; v < task->nodes; v++)
        if (anomaly[v]) ids[count++] = v, degrees += (double)(g->offsets[v + 1] - g->offsets[v]);
    if (!count) return *g;
    const int64_t k = (int64_t)fmin(floor(s->add * (degrees / (double)count)), (double)s->most) + 1;
    const cru_knn_options options = {.k = k, .distance = (cru_distance)s->distance, .ties = CRU_TIES_HEAP};
    const cru_csr near = cru_knn_among(pool, &task->x, (cru_ids){ids, count}, &options);
    const cru_csr joined = cru_csr_filter(pool, &near, marked, anomaly), added = cru_csr_pattern(&joined);
    return cru_csr_add(pool, g, 1, &added, 1);
}

static cru_tensor *loss_weights(cru_learner *l, const cru_csr *g)
{
    const cru_ids train = l->task->split.train;
    double *degree = cru_ctx_alloc(l->ctx, g->rows, sizeof *degree), most = 1, anomalies = 0;
    float *weight = cru_ctx_alloc(l->ctx, train.count, sizeof *weight);
    cru_csr_row_sums(g, degree);
    for (int64_t v = 0; v < g->rows; v++) most = fmax(most, degree[v]);
    for (int64_t i = 0; i < train.count; i++) anomalies += l->task->labels[train.ids[i]] == ANOMALY;
    for (int64_t i = 0; i < train.count; i++) {
        const bool rare = l->task->labels[train.ids[i]] == ANOMALY;
        weight[i] = (float)(degree[train.ids[i]] / most * (rare ? ((double)train.count - anomalies) / anomalies : 1));
    }
    return cru_tensor_from(l->ctx, cru_1d(train.count), weight);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_csr similar = without_dissimilar(l), graph = with_anomalies_joined(l, &similar);
    m->net = cheb_net_create(l, &graph, s->hidden, s->terms, cru_activations[s->activation]);
    m->weight = loss_weights(l, &graph);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return cheb_net_logits(t, &m->net, &l->x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *logits)
{
    const model *m = self;
    cru_tensor *each =
        cru_cross_entropy_each(t, logits, &(cru_targets){.rows = &l->train_rows, .labels = l->train_labels});
    return cru_mean(t, cru_mul(t, each, m->weight), CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .loss = loss, .labelled = true),
    .name = "pc-gnn",
    .version = "1.0",
    .summary = "chebnet without dissimilar edges, with new ones among anomalies",
    .citation = "Liu, Ao, Qin, Chi, Feng, Yang, He. Pick and Choose: A GNN-based Imbalanced Learning Approach for "
                "Fraud Detection. WWW 2021.",
    .problems = CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
