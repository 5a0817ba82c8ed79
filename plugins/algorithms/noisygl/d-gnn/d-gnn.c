// SPDX-License-Identifier: Apache-2.0
/* d-gnn: backward loss correction on graph isomorphism networks.
 *
 * As backward, with GIN instead of GCN for both networks: layers (1 + eps) x + sum of neighbours, then a perceptron,
 * ReLU between them. The benchmark's dropout never acts. Sums make logits large, so that the transition is near a 0/1
 * matrix and may be singular: its pseudo-inverse then averages.
 *
 * NT, Jin, Murata. Learning Graph Neural Networks with Noisy Labels. LLD workshop, ICLR 2019. */
#include "transition.h"

typedef struct settings {
    int64_t pretrain, layers, hidden, mlp_layers;
    bool learn_eps;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, pretrain, 300, 0, 1e9, "epochs of the network that estimates the transition"),
    CRU_INT(settings, layers, 3, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_INT(settings, mlp_layers, 1, 1, CRU_MAX_LAYERS, "linear layers in each"),
    CRU_BOOL(settings, learn_eps, true, "learn the weight of a node's own features"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_KEEP, CRU_NORM_NONE),
    CRU_TRAIN_SETTINGS(settings, train, 300, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_net *first_net; /* not the learner's: trained and used once */
    cru_gin_stack first, second;
    cru_tensor *transition; /* classes x classes */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int32_t classes = l->task->classes;
    cru_gin_shape shape = {.in = l->x.cols, .hidden = s->hidden, .out = classes, .layers = s->layers};
    shape.mlp_layers = s->mlp_layers, shape.learn_eps = s->learn_eps, shape.bare_last = true;
    m->first_net = cru_net_create(l->ctx, "pretrain");
    m->first = cru_gin_stack_create(m->first_net, "conv", &shape);
    m->second = cru_gin_stack_create(l->net, "conv", &shape);
    m->transition = cru_net_buffer(l->net, "transition", cru_2d(classes, classes), 0);
}

static cru_tensor *first_logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_gin_stack_input(t, &m->first, l->adj, &l->x);
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    estimate_transition(l, &(estimator){m->first_net, first_logits, s->pretrain}, m->transition);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_gin_stack_input(t, &m->second, l->adj, &l->x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    return backward_corrected(l, t, z, m->transition);
}

static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    report_transition(l, report, m->transition);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .state = cru_no_state,
               .logits = logits, .loss = loss, .report = report, .adjacency = CRU_AT(settings, adjacency)),
    .name = "d-gnn",
    .version = "1.1",
    .summary = "backward loss correction on a graph isomorphism network",
    .citation = "NT, Jin, Murata. Learning Graph Neural Networks with Noisy Labels. LLD workshop, ICLR 2019.",
    .categories = "GLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
