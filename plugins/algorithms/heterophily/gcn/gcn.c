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
    int64_t layers, hidden, loops, normalisation, init, readout;
    double dropout, input_dropout;
    bool bias, head;
    cru_train train;
} settings;

static const char *const loops[] = {"keep", "add", "fill", "set", "remove", NULL}; /* cru_loops */
static const char *const normalisations[] = {"sym", "in-out", "rw", NULL};         /* cru_norm */
static const char *const inits[] = {"glorot", "fan-in", "fan-out", NULL};          /* kinds of initialisation */
static const cru_init_kind init_kinds[] = {CRU_INIT_GLOROT_UNIFORM, CRU_INIT_FAN_IN, CRU_INIT_FAN_OUT};
static const char *const readouts[] = {"sum", "mean", NULL};
static const cru_reduce reduces[] = {CRU_REDUCE_SUM, CRU_REDUCE_MEAN};

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_FLOAT(settings, input_dropout, 0, 0, 0.99, "of the features"),
    CRU_CHOICE(settings, loops, CRU_LOOPS_FILL, loops, "self-loops before normalising"),
    CRU_CHOICE(settings, normalisation, CRU_NORM_SYM, normalisations, "of the adjacency, after the loops"),
    CRU_CHOICE(settings, init, 0, inits, "of the weights; the bias is 0 for glorot, drawn likewise for the others"),
    CRU_BOOL(settings, bias, true, "add a bias after the propagation"),
    CRU_BOOL(settings, head, false, "a linear layer after the convolutions"),
    CRU_CHOICE(settings, readout, 0, readouts, "from nodes to a graph"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj; /* Â */
    cru_gcn conv[CRU_MAX_LAYERS];
    bool has_head;
    cru_fc head;
} model;

static cru_gcn convolution(cru_net *net, int64_t number, const int64_t in_out[2], const settings *s)
{
    char name[32];
    snprintf(name, sizeof name, "conv%lld", (long long)number);
    cru_init weight = {.kind = init_kinds[s->init], .fan_in = in_out[0]};
    cru_init bias = weight.kind == CRU_INIT_GLOROT_UNIFORM ? (cru_init){.kind = CRU_INIT_ZEROS} : weight;
    cru_fc layer = cru_fc_create_with(net, name, in_out, weight, s->bias ? &bias : NULL);
    return (cru_gcn){.w = layer.w, .b = layer.b};
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    cru_pool pool = cru_ctx_pool(m->base.ctx);
    cru_csr looped = cru_graph_loops(pool, &task->graph, (cru_loops)s->loops);
    cru_csr adj = cru_graph_normalise(pool, &looped, (cru_norm)s->normalisation);
    m->adj = cru_sparse_create(m->base.ctx, &adj);
    m->has_head = s->head || task->problem == CRU_GRAPHS;
    for (int64_t i = 0; i < s->layers; i++) {
        bool last = i == s->layers - 1 && !m->has_head;
        m->conv[i] = convolution(m->base.net, i,
                                 (const int64_t[]){i ? s->hidden : task->x.cols, last ? task->classes : s->hidden}, s);
    }
    if (m->has_head) m->head = cru_fc_create(m->base.net, "head", s->hidden, task->classes);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *activated(cru_tape *t, const settings *s, cru_tensor *h)
{
    return cru_dropout(t, cru_relu(t, h), (float)s->dropout);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    cru_input x = cru_input_dropout(t, &m->base.x, (float)s->input_dropout);
    cru_tensor *h = cru_gcn_input(t, &m->conv[0], m->adj, &x);
    for (int64_t i = 1; i < s->layers; i++) h = cru_gcn_apply(t, &m->conv[i], m->adj, activated(t, s, h));
    if (!m->has_head) return h;
    h = activated(t, s, h);
    if (task->problem == CRU_GRAPHS) h = cru_segment(t, h, task->graph_offsets, task->items, reduces[s->readout]);
    return cru_fc_apply(t, &m->head, h);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits};
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
