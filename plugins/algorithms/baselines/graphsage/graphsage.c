// SPDX-License-Identifier: Apache-2.0
/* graphsage: a node's own features and an aggregate of its in-neighbours', each with a matrix of its own.
 *
 *     pool:  H' = act(H W_s + b_s + max_u->v ReLU(H_u W_p + b_p) W_n)
 *     mean:  H' = act(H W_s + b_s + mean_u->v H_u W_n)
 *     gcn:   H' = act((sum_u->v H_u + H_v) / (din(v) + 1) W_n + b)
 *     logits = H_L W_o + b_o
 *
 * Whole neighbourhoods unless `minibatch` samples them; no normalisation of what a layer gives. Where the graph has
 * self-loops, gcn counts a node twice. Linear aggregates are taken of H W_n, which changes rounding only.
 *
 * Hamilton, Ying, Leskovec. Inductive Representation Learning on Large Graphs. NeurIPS 2017. */
#include <math.h>
#include <stdio.h>

#include <crucible/crucible.h>

enum { POOL, MEAN, GCN };
static const char *const aggregates[] = {"pool", "mean", "gcn", NULL};

typedef struct settings {
    int64_t layers, hidden, aggregate, activation, loops;
    cru_node_batches nodes;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_CHOICE(settings, aggregate, POOL, aggregates, "what a layer makes of the in-neighbours",
               .search = CRU_ANY_CHOICE),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "after each layer", .search = CRU_ANY_CHOICE),
    CRU_CHOICE(settings, loops, CRU_LOOPS_KEEP, cru_loops_names, "self-loops"),
    CRU_NODE_BATCH_SETTINGS(settings, nodes),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct layer {
    cru_fc pool, self, neighbour; /* W_p, W_s, W_n; those that the aggregate does not have are zeroed */
} layer;

typedef struct model {
    layer layer[CRU_MAX_LAYERS];
    cru_fc out;
} model;

static cru_fc part(cru_learner *l, int64_t number, const char *name, int64_t in, int64_t out, const cru_init *bias)
{
    char full[48];
    snprintf(full, sizeof full, "conv%lld.%s", (long long)number, name);
    return cru_fc_create_with(l->net, full, in, out, (cru_init){.kind = CRU_INIT_GLOROT_UNIFORM, .a = sqrt(2)}, bias);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_csr graph = cru_adjacency_graph(l->ctx, &l->task->graph, &(cru_adjacency){s->loops, CRU_NORM_NONE});
    graph = cru_adjacency_graph(l->ctx, &graph,
                                &(cru_adjacency){s->aggregate == GCN ? CRU_LOOPS_ADD : CRU_LOOPS_KEEP, CRU_NORM_ROW});
    l->graphs = cru_graphs_all(l, &graph);
    l->hops = s->layers;
    for (int64_t i = 0, in = l->x.cols; i < s->layers; i++, in = s->hidden) {
        const cru_init zero = {.kind = CRU_INIT_ZEROS}, fan = {.kind = CRU_INIT_FAN_IN, .fan_in = in};
        if (s->aggregate == POOL) m->layer[i].pool = part(l, i, "pool", in, in, &fan);
        if (s->aggregate != GCN) m->layer[i].self = part(l, i, "self", in, s->hidden, &fan);
        m->layer[i].neighbour = part(l, i, "neighbour", in, s->hidden, s->aggregate == GCN ? &zero : NULL);
    }
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
}

static cru_tensor *apply(cru_tape *t, const layer *conv, const cru_hop *hop, const cru_input *h)
{
    cru_sparse *adj = hop->adj;
    const cru_fc *w = &conv->neighbour;
    if (!conv->self.w) return cru_add(t, cru_spmm(t, adj, cru_input_linear(t, h, w->w, NULL)), w->b);
    const cru_input rows = cru_hop_own_input(t, hop, h);
    cru_tensor *own = cru_fc_input(t, &conv->self, &rows);
    if (!conv->pool.w) return cru_add(t, own, cru_spmm(t, adj, cru_fc_input(t, w, h)));
    cru_tensor *most = cru_aggregate(t, adj, cru_relu(t, cru_fc_input(t, &conv->pool, h)), CRU_REDUCE_MAX);
    return cru_add(t, own, cru_fc_apply(t, w, most));
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_input h = g->x;
    for (int64_t i = 0; i < s->layers; i++) {
        const cru_hop hop = cru_graphs_hop(g, i);
        h = cru_input_of(cru_activate(t, cru_activations[s->activation], apply(t, &m->layer[i], &hop, &h)));
    }
    if (h.dense) cru_represent(t, h.dense);
    return cru_fc_input(t, &m->out, &h);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .forward = forward, .nodes = CRU_AT(settings, nodes)),
    .name = "graphsage",
    .version = "1.0",
    .summary = "own features beside an aggregate of the neighbours'",
    .citation = "Hamilton, Ying, Leskovec. Inductive Representation Learning on Large Graphs. NeurIPS 2017.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
