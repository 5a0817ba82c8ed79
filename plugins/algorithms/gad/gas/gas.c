// SPDX-License-Identifier: Apache-2.0
/* gas: one encoder sees the given graph and a graph of nearest neighbours.
 *
 *     Z = [enc(A, X) | enc(A_knn, X)]      logits = ReLU(Z W_1 + b_1) W_2 + b_2
 *     enc: H_0 = X      H_l = act(D_in^-1/2 A D_out^-1/2 H_l-1 W_l + b_l)
 *
 * A_knn: every node aggregates from its k nearest by raw features, itself among them. variant = bench leaves the head
 * (W_1, W_2) as drawn, as the study's code does, which forgot it in its optimiser; variant = paper trains it. The loss
 * weighs the rare class up.
 *
 * Li, Qin, Liu, Yang, Li. Spam Review Detection with Graph Convolutional Networks. CIKM 2019. */
#include "views.h"

typedef struct settings {
    view_settings view;
    int64_t activation, variant;
    cru_train train;
} settings;

static const cru_param schema[] = {
    VIEW_SETTINGS(settings, view),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "of the encoder", .search = CRU_ANY_CHOICE),
    CRU_VARIANT(settings, variant, CRU_BENCH, "the head stays as drawn, or learns"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    encoder encoder;
    cru_sparse *given, *near;
    cru_fc first, second;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_net *head = cru_learner_net(l, "head");
    const cru_csr near = nearest_graph(l, s->view.k, s->view.distance);
    m->given = view_create(l->ctx, &l->task->graph);
    m->near = view_create(l->ctx, &near);
    m->encoder = encoder_create(l->net, l->x.cols, s->view.hidden, s->view.layers);
    m->encoder.act = cru_activations[s->activation];
    m->first = cru_fc_create(head, "first", 2 * s->view.hidden, s->view.hidden);
    m->second = cru_fc_create(head, "second", s->view.hidden, l->task->classes);
    if (s->variant == CRU_BENCH) l->optim = cru_learner_optim(l, &l->net, 1);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *given = encoder_apply(t, &m->encoder, m->given, &l->x);
    cru_tensor *near = encoder_apply(t, &m->encoder, m->near, &l->x);
    cru_tensor *h = cru_relu(t, cru_fc_apply_parts(t, &m->first, (cru_tensor *[]){given, near}, 2));
    return cru_fc_apply(t, &m->second, cru_represent(t, h));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "gas",
    .version = "1.0",
    .summary = "one encoder on the given graph and on one of nearest neighbours",
    .citation = "Li, Qin, Liu, Yang, Li. Spam Review Detection with Graph Convolutional Networks. CIKM 2019.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
