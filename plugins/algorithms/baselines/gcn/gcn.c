// SPDX-License-Identifier: Apache-2.0
/* gcn: graph convolutions with dropout between them.
 *
 *     H_0 = X      H_l = Drop(ReLU(Â H_l-1 W_l + b_l))      logits = Â H_L-1 W_L + b_L
 *
 * With a head, and always for whole graphs, the last convolution is activated like the others and a linear layer
 * follows; a graph is the sum or the mean of its nodes:
 *
 *     logits = H_L W_o + b_o      graphs: logits = readout(H_L) W_o + b_o
 *
 * Kipf, Welling. Semi-Supervised Classification with Graph Convolutional Networks. ICLR 2017. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY | CRU_GRAPHS };

typedef struct settings {
    int64_t layers, hidden, draw;
    double dropout, input_dropout;
    bool bias, head;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, input_dropout, 0, 0, 0.99, "of the features"),
    CRU_CHOICE(settings, draw, CRU_DRAW_GLOROT, cru_draw_names, "how weights and biases start"),
    CRU_BOOL(settings, bias, true, "add a bias after the propagation"),
    CRU_BOOL(settings, head, false, "a linear layer after the convolutions"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_gcn_stack convs;
    cru_fc head; /* w is NULL without one */
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    const bool head = s->head || task->problem == CRU_GRAPHS;
    m->convs = cru_gcn_stack_create(m->base.net, "conv",
                                    &(cru_gcn_shape){.in = task->x.cols,
                                                     .hidden = s->hidden,
                                                     .out = head ? s->hidden : task->classes,
                                                     .layers = s->layers,
                                                     .draw = (cru_draw)s->draw,
                                                     .no_bias = !s->bias,
                                                     .dropout = (float)s->dropout});
    if (head) m->head = cru_fc_create(m->base.net, "head", s->hidden, task->classes);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *forward(void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    const settings *s = m->base.settings;
    cru_input x = cru_input_dropout(t, &g->x, (float)s->input_dropout);
    cru_tensor *h = cru_gcn_stack_input(t, &m->convs, g->adj, &x);
    if (!m->head.w) return h;
    h = cru_dropout(t, cru_relu(t, h), (float)s->dropout);
    return cru_fc_apply(t, &m->head, cru_graphs_readout(t, &m->base, g, h));
}

/* A layer alone keeps its propagated features, and a head drops out rows by their number. */
static cru_tensor *train_logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    if (m->head.w || m->convs.layers == 1) return NULL;
    cru_input x = cru_input_dropout(t, &m->base.graphs.x, (float)s->input_dropout);
    return cru_gcn_stack_rows(t, &m->convs, m->base.graphs.adj, m->base.train_adj, &x);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .forward = forward,
                                  .train_logits = train_logits,
                                  .graphs = offsetof(settings, graphs)};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "gcn",
    .version = "1.0",
    .summary = "graph convolutional network",
    .citation = "Kipf, Welling. Semi-Supervised Classification with Graph Convolutional Networks. ICLR 2017.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
