// SPDX-License-Identifier: Apache-2.0
/* gcn: graph convolutions with dropout between them.
 *
 *     H_0 = X      H_l = Drop(act(Â H_l-1 W_l + b_l))      logits = Â H_L-1 W_L + b_L
 *
 * With a head, and always for whole graphs, the last convolution is activated like the others and a linear layer
 * follows; a graph is the sum or the mean of its nodes:
 *
 *     logits = H_L W_o + b_o      graphs: logits = readout(H_L) W_o + b_o
 *
 * Kipf, Welling. Semi-Supervised Classification with Graph Convolutional Networks. ICLR 2017. */
#include <crucible/crucible.h>

typedef struct settings {
    int64_t layers, hidden, draw, activation;
    double dropout, input_dropout;
    bool bias, head, one_logit;
    cru_graph_settings graphs;
    cru_node_batches nodes;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after each convolution but a last that gives logits"),
    CRU_FLOAT(settings, input_dropout, 0, 0, 0.99, "of the features"),
    CRU_CHOICE(settings, draw, CRU_DRAW_GLOROT, cru_draw_names, "how weights and biases start"),
    CRU_BOOL(settings, bias, true, "add a bias after the propagation"),
    CRU_BOOL(settings, head, false, "a linear layer after the convolutions"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_FILL, CRU_NORM_SYM, CRU_READOUT_SUM),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_NODE_BATCH_SETTINGS(settings, nodes),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_gcn_stack convs;
    cru_fc head; /* w is NULL without one */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    l->hops = s->layers;
    const int64_t outputs = cru_outputs(task, s->one_logit);
    const bool head = s->head || task->problem == CRU_GRAPHS;
    m->convs = cru_gcn_stack_create(l->net, "conv",
                                    &(cru_gcn_shape){.in = task->x.cols,
                                                     .hidden = s->hidden,
                                                     .out = head ? s->hidden : outputs,
                                                     .layers = s->layers,
                                                     .draw = (cru_draw)s->draw,
                                                     .no_bias = !s->bias,
                                                     .dropout = s->dropout});
    if (head) m->head = cru_fc_create(l->net, "head", s->hidden, outputs);
}

/* The stack, which has relu, with another activation. */
static cru_tensor *convolve(cru_tape *t, const cru_gcn_stack *convs, cru_unary act, const cru_graphs *g, cru_input x)
{
    for (int64_t i = 0;; i++) {
        const cru_hop hop = cru_graphs_hop(g, i);
        cru_tensor *h = cru_gcn_input(t, &convs->layer[i], hop.adj, &x);
        if (i == convs->layers - 1) {
            if (i > 0) cru_represent(t, cru_hop_own(t, &hop, x.dense));
            return h;
        }
        x = cru_input_of(cru_dropout(t, cru_activate(t, act, h), convs->dropout));
    }
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_unary act = cru_activations[s->activation];
    const bool relu = act == CRU_UNARY_RELU;
    cru_input x = cru_input_dropout(t, &g->x, s->input_dropout);
    if (!m->head.w && relu) return cru_graphs_logits(t, &m->convs, g, &x);
    cru_tensor *h = relu ? cru_graphs_stack(t, &m->convs, g, &x) : convolve(t, &m->convs, act, g, x);
    if (!m->head.w) return h;
    h = cru_dropout(t, cru_activate(t, act, h), s->dropout);
    return cru_fc_apply(t, &m->head, cru_represent(t, cru_graphs_readout(t, l, g, h)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .forward = forward, .graphs = CRU_AT(settings, graphs),
               .nodes = CRU_AT(settings, nodes)),
    .name = "gcn",
    .version = "2.0",
    .summary = "graph convolutional network",
    .citation = "Kipf, Welling. Semi-Supervised Classification with Graph Convolutional Networks. ICLR 2017.",
    .problems = CRU_NODES | CRU_ANOMALY | CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
