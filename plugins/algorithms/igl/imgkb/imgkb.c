// SPDX-License-Identifier: Apache-2.0
/* imgkb: graphs are described by random walks that they share with learned hidden graphs.
 *
 *     h_0 = ReLU(ReLU(Drop(X W + b)) W' + b')      h_l = block(h_l-1), one block for all layers l = 1 .. layers
 *     block, gin: x_i = ReLU(MLP(x_i-1 + A x_i-1)), i = 1, 2, 3       [x_1 | x_2 | x_3]
 *     block, gcn: c_1 = ReLU(A x W_1), c_2 = A c_1 W_2                 [MLP(x) | c_1 | c_2]      then an MLP
 *            likewise with the layers of another `backbone` (encoder.h) for c_1 and c_2
 *     g_l = mean of h_l over the graph      k_l = [t_1 | t_2 | ...] of g_l (walk-kernel.h)
 *     a_l = sum_p softmax_p(MLP(t_p)) t_p      logits = MLP(g_0) + sum_l MLP(k_l)
 *     loss = class-balanced CE + beta sum_l mi(g_l, a_l)
 *
 * Class weights are those of the batch; a batch of one class alone is passed over. The reference forms its batches
 * once, here they are shuffled in every epoch. Its estimate of mutual information adds what it should subtract; it is
 * kept. variant = bench: A = 0, as in the first scripts of the imbalance study, whose reader keeps two edges of a
 * dataset.
 *
 * Tang, Liang. Where to Find Fascinating Inter-Graph Supervision: Imbalanced Graph Classification with Kernel
 * Information Bottleneck. ACM Multimedia 2023. */
#include <stdio.h>

#include "graph-encoder.h"
#include "walk-kernel.h"

enum { FIRST = 32, ATTENTION = 16, DEEP = 3, MOST_STEPS = 16 };

typedef struct settings {
    layer_choice network;
    int64_t variant, hidden, hidden_graphs, size, max_step, layers;
    double beta, balance, dropout;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_PAPER, "bench: without the edges of the graphs; paper: with them"),
    GRAPH_LAYER_CHOICE(settings, network),
    CRU_WIDTH(settings, hidden, 96),
    CRU_INT(settings, hidden_graphs, 6, 1, 1000, "hidden graphs in a layer", .search = CRU_ONE_OF(2, 4, 6, 8, 10)),
    CRU_INT(settings, size, 4, 2, 1000, "nodes of each"),
    CRU_INT(settings, max_step, 1, 1, MOST_STEPS, "longest walk"),
    CRU_INT(settings, layers, 3, 1, CRU_MAX_LAYERS, "layers"),
    CRU_FLOAT(settings, beta, 0.3, 0, CRU_NO_MAX, "weight of the information bottleneck",
              .search = CRU_ONE_OF(0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, balance, 0.999, 0, 0.999999, "of class weights (1 - b) / (1 - b^n)"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "in the first layer"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_KEEP, CRU_NORM_NONE, CRU_READOUT_MEAN),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_fc first, second;
    cru_mlp deep[DEEP], joined; /* of gin */
    cru_mlp own;                /* of the others, with conv */
    cru_fc conv[2];             /* of gcn, or */
    graph_backbone backbone;
    const cru_encoder_kind *kind;
    void *layer[2]; /* of that kind */
    walk_kernel kernel[CRU_MAX_LAYERS];
    cru_mlp attention[CRU_MAX_LAYERS], bound[CRU_MAX_LAYERS], out[CRU_MAX_LAYERS + 1];
} model;

static cru_mlp two_layers(cru_net *net, const char *name, int64_t number, cru_mlp_shape shape)
{
    char full[32];
    snprintf(full, sizeof full, "%s%d", name, (int)number);
    shape.layers = 2;
    return cru_mlp_create(net, full, &shape);
}

static walk_kernel build_kernel(cru_learner *l, int64_t number)
{
    const settings *s = l->settings;
    const int64_t graphs = s->hidden_graphs, size = s->size;
    char upper[32], z[32];
    snprintf(upper, sizeof upper, "kernel%d.upper", (int)number);
    snprintf(z, sizeof z, "kernel%d.features", (int)number);
    return walk_kernel_of(l->ctx, graphs, size,
                          cru_net_weight(l->net, upper, cru_2d(graphs, size * (size - 1) / 2),
                                         (cru_init){.kind = CRU_INIT_UNIFORM, .a = -1, .b = 1}),
                          cru_net_weight(l->net, z, cru_2d(graphs * size, s->hidden),
                                         (cru_init){.kind = CRU_INIT_KAIMING_NORMAL, .fan_in = s->hidden}));
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t h = s->hidden, walks = s->hidden_graphs, k = l->task->classes;
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->first = cru_fc_create(l->net, "first", l->x.cols, FIRST);
    m->second = cru_fc_create(l->net, "second", FIRST, h);
    m->joined = two_layers(l->net, "joined", 0, (cru_mlp_shape){.in = 3 * h, .hidden = h, .out = h});
    m->backbone = graph_backbone_of(&s->network);
    m->kind = graph_backbone_kind(l->ctx, &s->network);
    for (int i = 0; i < DEEP && m->backbone == BACKBONE_GIN; i++)
        m->deep[i] = two_layers(l->net, "deep", i, (cru_mlp_shape){.in = h, .hidden = h, .out = h});
    if (m->backbone != BACKBONE_GIN)
        m->own = two_layers(l->net, "own", 0, (cru_mlp_shape){.in = h, .hidden = h, .out = h});
    if (m->backbone == BACKBONE_GCN) {
        m->conv[0] = cru_fc_create_drawn(l->net, "conv0", h, h, CRU_DRAW_GLOROT, false);
        m->conv[1] = cru_fc_create_drawn(l->net, "conv1", h, h, CRU_DRAW_GLOROT, false);
    } else if (m->kind) {
        m->layer[0] = m->kind->create(l->net, "conv0", h, h);
        m->layer[1] = m->kind->create(l->net, "conv1", h, h);
    }
    m->out[0] = two_layers(l->net, "out", 0, (cru_mlp_shape){.in = h, .hidden = h, .out = k});
    for (int64_t i = 0; i < s->layers; i++) {
        m->kernel[i] = build_kernel(l, i);
        m->attention[i] =
            two_layers(l->net, "attention", i, (cru_mlp_shape){.in = walks, .hidden = ATTENTION, .out = 1});
        m->bound[i] = two_layers(l->net, "bound", i, (cru_mlp_shape){.in = h + walks, .hidden = h, .out = 1});
        m->out[i + 1] =
            two_layers(l->net, "out", i + 1, (cru_mlp_shape){.in = walks * s->max_step, .hidden = h, .out = k});
    }
}

/* c_i of a block; adj: the matrix of the backbone */
static cru_tensor *convolve(cru_tape *t, const model *m, cru_sparse *adj, cru_tensor *x, int i)
{
    const cru_input in = cru_input_of(x);
    if (m->kind) return m->kind->apply(t, m->layer[i], adj, &in);
    return cru_fc_apply(t, &m->conv[i], cru_spmm(t, adj, x));
}

static cru_tensor *block(cru_tape *t, const model *m, cru_sparse *adj, cru_tensor *x)
{
    cru_tensor *part[DEEP];
    if (m->backbone == BACKBONE_GIN) {
        for (int i = 0; i < DEEP; i++)
            x = part[i] = cru_relu(t, cru_mlp_apply(t, &m->deep[i], cru_add(t, x, cru_spmm(t, adj, x))));
    } else {
        part[0] = cru_mlp_apply(t, &m->own, x);
        part[1] = cru_relu(t, convolve(t, m, adj, x, 0));
        part[2] = convolve(t, m, adj, part[1], 1);
    }
    return cru_mlp_apply(t, &m->joined, cru_concat_cols(t, part, DEEP));
}

static cru_sparse *matrix_of(cru_tape *t, const model *m, const cru_graphs *g, bool edges)
{
    if (!m->kind && edges) return g->adj;
    const cru_pool pool = cru_tape_pool(t);
    const cru_coo none = {.rows = g->host.rows, .cols = g->host.cols};
    const cru_csr host = edges ? g->host : cru_csr_from_coo(pool, &none, CRU_DUP_FIRST);
    if (!m->kind) return cru_sparse_step(t, &host);
    const cru_csr a = cru_encoder_graph(pool, &(cru_encoder){.adjacency = m->kind->adjacency}, &host);
    return cru_sparse_step(t, &a);
}

/* n x (hidden graphs): the steps, weighed by attention */
static cru_tensor *attend(cru_tape *t, const cru_mlp *mlp, cru_tensor **steps, int64_t count)
{
    cru_tensor *score[MOST_STEPS], *sum = NULL;
    for (int64_t p = 0; p < count; p++) score[p] = cru_mlp_apply(t, mlp, steps[p]);
    cru_tensor *share = cru_softmax(t, cru_concat_cols(t, score, count), 1);
    for (int64_t p = 0; p < count; p++) {
        cru_tensor *part = cru_mul(t, steps[p], cru_slice_cols(t, share, p, p + 1));
        sum = sum ? cru_add(t, sum, part) : part;
    }
    return sum;
}

/* Logits of some graphs; *bound, unless NULL: the sum of mutual information. */
static cru_tensor *run(cru_learner *l, model *m, cru_tape *t, const cru_graphs *g, cru_tensor **bound)
{
    const settings *s = l->settings;
    cru_tensor *x = cru_dropout(t, cru_fc_input(t, &m->first, &g->x), s->dropout), *steps[MOST_STEPS];
    x = cru_relu(t, cru_fc_apply(t, &m->second, cru_relu(t, x)));
    cru_tensor *z = cru_mlp_apply(t, &m->out[0], cru_graphs_readout(t, l, g, x));
    cru_sparse *adj = matrix_of(t, m, g, s->variant == CRU_PAPER);
    for (int64_t i = 0; i < s->layers; i++) {
        x = block(t, m, adj, x);
        cru_tensor *mean = cru_graphs_readout(t, l, g, x);
        walk_kernel_apply(t, &m->kernel[i], mean, s->max_step, steps);
        z = cru_add(t, z, cru_mlp_apply(t, &m->out[i + 1], cru_concat_cols(t, steps, s->max_step)));
        if (!bound) continue;
        int32_t *other = cru_tape_alloc(t, g->count, sizeof *other);
        cru_rng_permutation(&m->rng, other, g->count);
        cru_tensor *a = attend(t, &m->attention[i], steps, s->max_step);
        cru_tensor *mi = mutual_information(t, &m->bound[i], mean, a, cru_index_step(t, other, g->count));
        *bound = *bound ? cru_add(t, *bound, mi) : mi;
    }
    return z;
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    return run(l, self, t, g, NULL);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const settings *s = l->settings;
    int32_t *labels = cru_tape_alloc(t, batch->items.count, sizeof *labels);
    bool mixed = false;
    for (int64_t i = 0; i < batch->items.count; i++) {
        labels[i] = l->task->labels[batch->items.ids[i]];
        mixed |= labels[i] != labels[0];
    }
    if (!mixed) return NULL;
    const cru_graphs g = cru_graphs_select(t, &l->graphs, batch->items);
    cru_tensor *bound = NULL, *z = run(l, self, t, &g, &bound);
    return cru_plus(t, balanced_loss(t, z, labels, s->balance), s->beta, bound);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .forward = forward, .batch_loss = batch_loss,
               .graphs = CRU_AT(settings, graphs)),
    .name = "imgkb",
    .version = "1.0",
    .summary = "walks shared with learned hidden graphs, under an information bottleneck",
    .citation = "Tang, Liang. Where to Find Fascinating Inter-Graph Supervision: Imbalanced Graph Classification with "
                "Kernel Information Bottleneck. ACM Multimedia 2023.",
    .problems = CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
