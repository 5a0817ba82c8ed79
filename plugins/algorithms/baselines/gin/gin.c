// SPDX-License-Identifier: Apache-2.0
/* gin: sums over neighbours, made injective by a perceptron.
 *
 *     H_0 = X      H_l = Drop(act(MLP_l(H_l-1 + A H_l-1)))      MLP: linear, batch norm, act, linear
 *     graphs: logits = (sum of H_L over the nodes) W_o + b_o      nodes: logits = H_L W_o + b_o
 *
 * A is scaled as `normalisation` says: with rw, A H is the mean of the neighbours, as in the anomaly study; with
 * aggregate = max the largest neighbour in each column stands for it. eps of the paper is fixed at 0 unless it is
 * learned, and only the last layer is read out. Without a head the last perceptron gives the logits itself. The paper's
 * own code has another batch norm after each perceptron (outer_norm), and drops nothing between layers but logits
 * (late_dropout).
 *
 * Xu, Hu, Leskovec, Jegelka. How Powerful are Graph Neural Networks? ICLR 2019. */
#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, mlp_layers, hidden, aggregate, activation;
    double dropout;
    bool learn_eps, head, outer_norm, late_dropout;
    cru_graph_settings graphs;
    cru_node_batches nodes;
    cru_train train;
} settings;

enum { SUM, MAX };
static const char *const aggregates[] = {"sum", "max", NULL};

static const cru_param schema[] = {
    CRU_INT(settings, layers, 3, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(2, 3, 4)),
    CRU_INT(settings, mlp_layers, 2, 1, CRU_MAX_LAYERS, "linear layers in each"),
    CRU_INT(settings, hidden, 256, 1, 65536, "width", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each layer", .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_CHOICE(settings, aggregate, SUM, aggregates, "of the neighbours: as normalisation weighs them, or the largest"),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after each layer"),
    CRU_BOOL(settings, learn_eps, false, "learn the weight of a node's own features"),
    CRU_BOOL(settings, head, true, "a linear layer after the convolutions"),
    CRU_BOOL(settings, outer_norm, false, "batch norm before each activation of a layer, too"),
    CRU_BOOL(settings, late_dropout, false, "drop logits instead of what layers give"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_KEEP, CRU_NORM_NONE, CRU_READOUT_SUM),
    CRU_NODE_BATCH_SETTINGS(settings, nodes),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_gin_stack convs;
    cru_fc out; /* w is NULL without a head */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    l->hops = s->layers;
    m->convs = cru_gin_stack_create(l->net, "conv",
                                    &(cru_gin_shape){.in = task->x.cols,
                                                     .hidden = s->hidden,
                                                     .out = s->head ? s->hidden : task->classes,
                                                     .layers = s->layers,
                                                     .mlp_layers = s->mlp_layers,
                                                     .learn_eps = s->learn_eps,
                                                     .outer_norm = s->outer_norm,
                                                     .bare_last = !s->head,
                                                     .max = s->aggregate == MAX,
                                                     .act = cru_activations[s->activation],
                                                     .dropout = s->late_dropout ? 0 : s->dropout});
    if (s->head) m->out = cru_fc_create(l->net, "out", s->hidden, task->classes);
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_graphs_readout(t, l, g, cru_graphs_gin(t, &m->convs, g, &g->x));
    return cru_dropout(t, s->head ? cru_fc_apply(t, &m->out, cru_represent(t, h)) : h,
                       s->late_dropout ? s->dropout : 0);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .forward = forward, .graphs = CRU_AT(settings, graphs),
               .nodes = CRU_AT(settings, nodes)),
    .name = "gin",
    .version = "2.0",
    .summary = "graph isomorphism network",
    .citation = "Xu, Hu, Leskovec, Jegelka. How Powerful are Graph Neural Networks? ICLR 2019.",
    .problems = CRU_GRAPHS | CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
