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
#include <stdio.h>

#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY | CRU_GRAPHS };

typedef struct settings {
    int64_t layers, hidden, draw, readout, batch;
    double dropout, input_dropout;
    bool bias, head;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const char *const readouts[] = {"sum", "mean", NULL};
static const cru_reduce reduces[] = {CRU_REDUCE_SUM, CRU_REDUCE_MEAN};

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, input_dropout, 0, 0, 0.99, "of the features"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_CHOICE(settings, draw, CRU_DRAW_GLOROT, cru_draw_names, "how weights and biases start"),
    CRU_BOOL(settings, bias, true, "add a bias after the propagation"),
    CRU_BOOL(settings, head, false, "a linear layer after the convolutions"),
    CRU_CHOICE(settings, readout, 0, readouts, "whole graphs: from nodes to a graph"),
    CRU_INT(settings, batch, 128, 1, 1e9, "whole graphs: how many in a step"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_graphs all; /* Â and X */
    cru_batches batches;
    cru_gcn conv[CRU_MAX_LAYERS];
    cru_fc head; /* w is NULL without one */
} model;

static cru_gcn convolution(const model *m, int64_t number, int64_t in, int64_t out)
{
    const settings *s = m->base.settings;
    char name[32];
    snprintf(name, sizeof name, "conv%lld", (long long)number);
    cru_fc layer = cru_fc_create_drawn(m->base.net, name, (const int64_t[]){in, out}, (cru_draw)s->draw, s->bias);
    return (cru_gcn){.w = layer.w, .b = layer.b};
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    const bool graphs = task->problem == CRU_GRAPHS, head = s->head || graphs;
    cru_csr adj = cru_adjacency_graph(m->base.ctx, &task->graph, &s->adjacency);
    m->all = cru_graphs_all(&m->base, &adj);
    if (graphs) m->batches = cru_batches_create(m->base.ctx, task->split.train, s->batch, false);
    for (int64_t i = 0; i < s->layers; i++) {
        const bool last = i == s->layers - 1 && !head;
        m->conv[i] = convolution(m, i, i ? s->hidden : task->x.cols, last ? task->classes : s->hidden);
    }
    if (head) m->head = cru_fc_create(m->base.net, "head", s->hidden, task->classes);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *activated(cru_tape *t, const settings *s, cru_tensor *h)
{
    return cru_dropout(t, cru_relu(t, h), (float)s->dropout);
}

static cru_tensor *forward(void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    const settings *s = m->base.settings;
    cru_input x = cru_input_dropout(t, &g->x, (float)s->input_dropout);
    cru_tensor *h = cru_gcn_input(t, &m->conv[0], g->adj, &x);
    for (int64_t i = 1; i < s->layers; i++) h = cru_gcn_apply(t, &m->conv[i], g->adj, activated(t, s, h));
    if (!m->head.w) return h;
    h = activated(t, s, h);
    if (m->base.task->problem == CRU_GRAPHS) h = cru_segment(t, h, g->offsets, g->count, reduces[s->readout]);
    return cru_fc_apply(t, &m->head, h);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    return forward(m, t, &m->all);
}

static cru_status epoch(void *self, double *loss)
{
    model *m = self;
    if (m->base.task->problem != CRU_GRAPHS) return cru_learner_epoch(&m->base, loss);
    *loss = cru_graphs_pass(&m->base, &m->batches, &m->all, forward);
    return cru_ctx_status(m->base.ctx);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits,
                                  .epoch = epoch};
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
