// SPDX-License-Identifier: Apache-2.0
/* linkx: a perceptron on the rows of the adjacency, another on the features, and a third on both; no propagation.
 *
 *     a = MLP_A(A)      f = MLP_X(X)      z = ReLU([a | f] W + b + a + f)      logits = MLP_f(z)
 *
 * A is binary, without self-loops and as sparse as it is; row v holds the nodes that v points to. Hidden layers of the
 * perceptrons are affine, ReLU, batch norm, and in MLP_f dropout.
 *
 * Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim. Large Scale Learning on Non-Homophilous Graphs. NeurIPS 2021. */
#include "outgoing.h"

typedef struct settings {
    int64_t layers_a, layers_x, layers, hidden;
    double dropout, inner_dropout;
    bool inner_activation, one_logit;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers_a, 1, 1, CRU_MAX_LAYERS, "linear layers of MLP_A", .search = CRU_ONE_OF(1, 2)),
    CRU_INT(settings, layers_x, 1, 1, CRU_MAX_LAYERS, "linear layers of MLP_X", .search = CRU_ONE_OF(1, 2)),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "linear layers of MLP_f"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation of MLP_f",
              .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, inner_dropout, 0, 0, 0.99, "of [a | f] W + b; the authors' switch means 0.5"),
    CRU_BOOL(settings, inner_activation, false, "ReLU of [a | f] W + b"),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_input a;
    cru_mlp mlp_a, mlp_x, mlp_f;
    cru_fc both;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->graph.rows, h = s->hidden;
    const cru_features rows = {.rows = n, .cols = n, .sparse = outgoing_graph(l)};
    m->a = cru_input_create(l->ctx, &rows);
    cru_mlp_shape shape = {n, h, h, .layers = s->layers_a, .batch_norm = true, .norm_last = true};
    m->mlp_a = cru_mlp_create(l->net, "a", &shape);
    shape.in = l->x.cols, shape.layers = s->layers_x;
    m->mlp_x = cru_mlp_create(l->net, "x", &shape);
    m->both = cru_fc_create(l->net, "both", 2 * h, h);
    shape.in = h, shape.out = cru_outputs(l->task, s->one_logit), shape.layers = s->layers, shape.dropout = s->dropout;
    m->mlp_f = cru_mlp_create(l->net, "final", &shape);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *part[2];
    part[0] = cru_mlp_input(t, &m->mlp_a, &m->a);
    part[1] = cru_mlp_input(t, &m->mlp_x, &l->x);
    cru_tensor *u = cru_dropout(t, cru_fc_apply_parts(t, &m->both, part, 2), s->inner_dropout);
    if (s->inner_activation) u = cru_relu(t, u);
    return cru_mlp_apply(t, &m->mlp_f, cru_represent(t, cru_relu(t, cru_add(t, cru_add(t, u, part[0]), part[1]))));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "linkx",
    .version = "1.0",
    .summary = "perceptrons on adjacency rows and on features, no propagation",
    .citation = "Lim, Hohne, Li, Huang, Gupta, Bhalerao, Lim. Large Scale Learning on Non-Homophilous Graphs. "
                "NeurIPS 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .categories = "decoupled",
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
