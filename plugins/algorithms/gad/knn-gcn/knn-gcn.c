// SPDX-License-Identifier: Apache-2.0
/* knn-gcn: a gcn on the given edges and those of nearest neighbours together.
 *
 *     H_0 = X      H_l = ReLU(D_in^-1/2 (A + A_knn) D_out^-1/2 Drop(H_l-1) W_l + b_l)      logits = H_L W_o + b_o
 *
 * A_knn: every node aggregates from its k nearest by raw features, itself among them; an edge in both graphs counts
 * twice. X itself is not dropped. In the anomaly study's code (variant = bench) a rate of dropout reaches no layer, and
 * makes it judge on the given graph alone; variant = paper drops, and judges on the graph that was learned on. The loss
 * weighs the rare class up.
 *
 * Tang, Hua, Gao, Zhao, Li. GADBench. NeurIPS 2023. */
#include "views.h"

typedef struct settings {
    view_settings view;
    int64_t variant;
    double dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    VIEW_SETTINGS(settings, view),
    CRU_DROPOUT(settings, dropout, 0, .search = CRU_ONE_OF(0, 0.1, 0.2, 0.3)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "dropout: only judges on the given graph, or drops"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    encoder encoder;
    cru_sparse *given, *both;
    cru_fc out;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_csr near = nearest_graph(l, s->view.k, s->view.distance);
    const cru_csr both = cru_csr_add(cru_ctx_pool(l->ctx), &l->task->graph, 1, &near, 1);
    m->both = view_create(l->ctx, &both);
    if (s->variant == CRU_BENCH && s->dropout > 0) m->given = view_create(l->ctx, &l->task->graph);
    m->encoder = encoder_create(l->net, l->x.cols, s->view.hidden, s->view.layers);
    m->encoder.dropout = s->variant == CRU_BENCH ? 0 : s->dropout;
    m->out = cru_fc_create(l->net, "out", s->view.hidden, l->task->classes);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const bool judged = m->given && cru_tape_mode(t) == CRU_EVAL;
    return cru_fc_apply(t, &m->out,
                        cru_represent(t, encoder_apply(t, &m->encoder, judged ? m->given : m->both, &l->x)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "knn-gcn",
    .version = "1.0",
    .summary = "a gcn on the given edges and those of nearest neighbours",
    .citation = "Tang, Hua, Gao, Zhao, Li. GADBench: Revisiting and Benchmarking Supervised Graph Anomaly Detection. "
                "NeurIPS 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
