// SPDX-License-Identifier: Apache-2.0
/* solt-gnn: small graphs borrow from a memory of patterns that large graphs have.
 *
 *     H_0 = X      H_l = ReLU(BN(MLP(H_l-1 + A H_l-1)))      MLP: linear, batch norm, ReLU, linear
 *     h_G = sum of H_L over G      logits = Drop((h_G + p(h_G)) W + b)      p: pattern-memory.h
 *
 * With another `backbone` the layers are those of graph-encoder.h with dropout between them, and logits are not dropped
 * (the study has three of gcn and means over G).
 *
 * Heads are the `heads` graphs with most nodes. They and the tails of a batch are computed apart, so that each have
 * batch statistics of their own. With L_h and L_t the mean cross-entropy over heads and tails of a batch,
 *
 *     loss = 2 (alpha L_h + (1 - alpha) L_t) + mu_nodes L_n + mu_parts L_s + lambda mean cos(h_G, p(h_G))
 *
 * L_n and L_s say that what a head's part recalls is nearer to the rest of this head i than to another head j:
 *     L_n  parts: the first min(n_i, n_j) nodes; against a random node of i and one of j
 *     L_s  parts: connected samples of K = floor(min(b - 1, n_i / 2)) nodes, represented without the rest of the graph,
 *          against the sum over the rest of i and over as many random nodes of j (or all)
 * where b is the size at rank floor(0.2 G) from the top. A batch with fewer than two heads or no tail is passed over.
 * Memory and network have optimisers of their own; the learning rate of the latter halves every `halve_every` epochs.
 *
 * Liu, Mao, Liu, Fang, Sun. On Size-Oriented Long-Tailed Graph Classification of Graph Neural Networks. WWW 2022. */
#include <crucible/draft/optim.h>
#include <crucible/draft/paths.h>
#include <crucible/imbalance.h>

#include "graph-encoder.h"
#include "pattern-memory.h"

typedef struct settings {
    int64_t backbone, layers, hidden, memory, heads, halve_every;
    double dropout, alpha, mu_nodes, mu_parts, lambda;
    bool learn_eps;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, backbone, BACKBONE_GIN, graph_backbone_names, "the network that represents nodes"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions"),
    CRU_INT(settings, hidden, 32, 1, 65536, "width"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the logits; not gin: between convolutions instead"),
    CRU_BOOL(settings, learn_eps, false, "gin: learn the weight of a node's own features"),
    CRU_INT(settings, memory, 64, 1, 4096, "size of the memory"),
    CRU_INT(settings, heads, 72, 0, 1e9, "how many of the largest graphs are heads"),
    CRU_FLOAT(settings, alpha, 0.5, 0, 1, "share of the heads in the loss", .search = CRU_ONE_OF(0.1, 0.15, 0.3)),
    CRU_FLOAT(settings, mu_nodes, 1, 0, CRU_NO_MAX, "weight of the nodes' relevance",
              .search = CRU_ONE_OF(0, 0.5, 1, 1.5, 2)),
    CRU_FLOAT(settings, mu_parts, 1, 0, CRU_NO_MAX, "weight of the samples' relevance",
              .search = CRU_ONE_OF(0, 0.5, 1, 1.5, 2)),
    CRU_FLOAT(settings, lambda, 1e-4, 0, CRU_NO_MAX, "weight of the likeness of memory and representation"),
    CRU_INT(settings, halve_every, 50, 1, 1e9, "epochs after which the learning rate halves"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_KEEP, CRU_NORM_NONE, CRU_READOUT_SUM),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 0),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    graph_encoder encoder;
    cru_fc out;
    pattern_memory memory;
    cru_optim *memory_optim;
    uint8_t *head;   /* of every graph */
    int64_t largest; /* nodes in a sample, b - 1 */
} model;

static void mark_heads(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    int32_t *order = cru_ctx_alloc(l->ctx, task->items, sizeof *order);
    int64_t *size = cru_ctx_alloc(l->ctx, task->items, sizeof *size);
    m->head = cru_ctx_alloc(l->ctx, task->items, sizeof *m->head);
    for (int32_t g = 0; g < task->items; g++) {
        size[g] = task->graph_offsets[g + 1] - task->graph_offsets[g];
        order[g] = g;
    }
    cru_largest_first(order, task->items, size);
    for (int64_t i = 0; i < task->items && i < s->heads; i++) m->head[order[i]] = 1;
    m->largest = task->items ? (int64_t)cru_head_size(size, task->items) - 2 : 0;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_net *memory = cru_learner_net(l, "memory");
    m->encoder = graph_encoder_create(l->net, (graph_backbone)s->backbone,
                                      &(cru_gin_shape){.in = task->x.cols,
                                                       .hidden = s->hidden,
                                                       .out = s->hidden,
                                                       .layers = s->layers,
                                                       .mlp_layers = 2,
                                                       .learn_eps = s->learn_eps,
                                                       .outer_norm = true,
                                                       .dropout = s->backbone == BACKBONE_GIN ? 0 : s->dropout});
    m->out = cru_fc_create(l->net, "out", s->hidden, task->classes);
    m->memory = pattern_memory_create(memory, s->hidden, s->memory);
    l->optim = cru_learner_optim(l, &l->net, 1);
    m->memory_optim = cru_learner_optim(l, &memory, 1);
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    mark_heads(l, m);
}

/* ---- the network ----------------------------------------------------------------------------------------- */

/* Graphs, and what of them the losses use. */
typedef struct group {
    cru_ids ids;
    cru_graphs graphs;
    cru_tensor *nodes, *whole, *recalled; /* the representation of nodes and graphs, what the memory has for these */
} group;

static cru_tensor *classify(cru_learner *l, const model *m, cru_tape *t, group *g)
{
    const settings *s = l->settings;
    g->nodes = graph_encoder_graphs(t, &m->encoder, &g->graphs);
    g->whole = cru_graphs_readout(t, l, &g->graphs, g->nodes);
    g->recalled = pattern_memory_recall(t, &m->memory, g->whole);
    cru_tensor *z = cru_fc_apply(t, &m->out, cru_represent(t, cru_add(t, g->whole, g->recalled)));
    return s->backbone == BACKBONE_GIN ? cru_dropout(t, z, s->dropout) : z;
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *graphs)
{
    return classify(l, self, t, &(group){.graphs = *graphs});
}

/* ---- relevance ------------------------------------------------------------------------------------------- */

/* Nodes of the heads of a batch and which head they count for. */
typedef struct members {
    int32_t *node, *head;
    int64_t count;
} members;

static members members_create(cru_tape *t, const group *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    return (members){cru_tape_alloc(t, most, sizeof(int32_t)), cru_tape_alloc(t, most, sizeof(int32_t)), 0};
}

static void members_add(members *m, int64_t node, int64_t head)
{
    m->node[m->count] = (int32_t)node;
    m->head[m->count++] = (int32_t)head;
}

/* The sum of x over the members of each head. */
static cru_tensor *members_sum(cru_tape *t, const members *m, cru_tensor *x, int64_t heads)
{
    return cru_scatter(t, x, cru_index_step(t, m->head, m->count), heads, CRU_REDUCE_SUM);
}

static int64_t size_of(const group *s, int64_t g)
{
    return s->graphs.offsets[g + 1] - s->graphs.offsets[g];
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Another head of the batch than number i. */
static int64_t other_head(model *m, const group *s, int64_t i)
{
    const int64_t k = cru_rng_below(&m->rng, s->ids.count - 1);
    return k < i ? k : k + 1;
}

static cru_tensor *rows_of(cru_tape *t, const group *s, const int32_t *ids, int64_t count)
{
    return cru_gather(t, s->nodes, cru_index_step(t, ids, count));
}

static cru_tensor *node_relevance(model *m, cru_tape *t, const group *s)
{
    const int64_t most = s->graphs.offsets[s->graphs.count];
    int32_t *query = cru_tape_alloc(t, most, sizeof *query), *same = cru_tape_alloc(t, most, sizeof *same);
    int32_t *other = cru_tape_alloc(t, most, sizeof *other);
    int64_t count = 0;
    for (int64_t i = 0; i < s->ids.count; i++) {
        const int64_t far = other_head(m, s, i), first = s->graphs.offsets[i];
        const int64_t size = smaller(size_of(s, i), size_of(s, far));
        for (int64_t v = 0; v < size; v++, count++) {
            query[count] = (int32_t)(first + v);
            same[count] = (int32_t)(first + cru_rng_below(&m->rng, size_of(s, i)));
            other[count] = (int32_t)(s->graphs.offsets[far] + cru_rng_below(&m->rng, size_of(s, far)));
        }
    }
    cru_tensor *p = pattern_memory_recall(t, &m->memory, rows_of(t, s, query, count));
    cru_tensor *far = rows_of(t, s, other, count);
    return pattern_relevance(t, p, rows_of(t, s, same, count), far);
}

/* The representation of samples by themselves; part->node are nodes of the batch. */
static cru_tensor *represent_parts(model *m, cru_tape *t, const group *s, const members *part)
{
    const cru_ids nodes = {part->node, part->count};
    const cru_subgraph sub = cru_graph_induced(cru_tape_pool(t), &s->graphs.host, nodes);
    const cru_input x = cru_input_rows(t, &s->graphs.x, cru_index_step(t, nodes.ids, nodes.count));
    return members_sum(t, part, graph_encoder_nodes(t, &m->encoder, &sub.graph, &x), s->ids.count);
}

/* Marks what a search from a random node of a graph takes, at most K nodes. */
static void sample_part(model *m, const group *s, int64_t graph, uint8_t *taken)
{
    const int64_t start = s->graphs.offsets[graph] + cru_rng_below(&m->rng, size_of(s, graph));
    cru_graph_depth_first(&s->graphs.host, (int32_t)start, smaller(m->largest, size_of(s, graph) / 2), taken);
}

static cru_tensor *part_relevance(model *m, cru_tape *t, const group *s)
{
    uint8_t *taken = cru_tape_alloc(t, s->graphs.offsets[s->graphs.count], sizeof *taken);
    members part = members_create(t, s), rest = members_create(t, s), far = members_create(t, s);
    for (int64_t v = 0; v < s->graphs.offsets[s->graphs.count]; v++) taken[v] = 0;
    for (int64_t i = 0; i < s->ids.count; i++) {
        const int64_t other = other_head(m, s, i), before = rest.count;
        sample_part(m, s, i, taken);
        for (int64_t v = s->graphs.offsets[i]; v < s->graphs.offsets[i + 1]; v++)
            members_add(taken[v] ? &part : &rest, v, i);
        const int64_t size = smaller(rest.count - before, size_of(s, other));
        int32_t *chosen = cru_tape_alloc(t, size, sizeof *chosen);
        cru_rng_choose(&m->rng, size_of(s, other), size, chosen);
        for (int64_t k = 0; k < size; k++) members_add(&far, s->graphs.offsets[other] + chosen[k], i);
    }
    cru_tensor *p = pattern_memory_recall(t, &m->memory, represent_parts(m, t, s, &part));
    cru_tensor *near = members_sum(t, &rest, rows_of(t, s, rest.node, rest.count), s->ids.count);
    return pattern_relevance(t, p, near, members_sum(t, &far, rows_of(t, s, far.node, far.count), s->ids.count));
}

/* ---- training -------------------------------------------------------------------------------------------- */

/* The heads or the tails of a batch. */
static cru_ids some_of(const model *m, cru_tape *t, cru_ids batch, bool heads)
{
    int32_t *ids = cru_tape_alloc(t, batch.count, sizeof *ids);
    int64_t count = 0;
    for (int64_t i = 0; i < batch.count; i++)
        if (m->head[batch.ids[i]] == heads) ids[count++] = batch.ids[i];
    return (cru_ids){ids, count};
}

/* The mean cross-entropy of a group. */
static cru_tensor *group_loss(cru_learner *l, model *m, cru_tape *t, group *g)
{
    g->graphs = cru_graphs_select(t, &l->graphs, g->ids);
    return cru_learner_batch_loss(l, t, classify(l, m, t, g), g->ids);
}

static cru_tensor *likeness(cru_tape *t, const group *g)
{
    return cru_sum(t, cru_cosine_rows(t, g->whole, g->recalled, 1e-7f), CRU_ALL);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    group heads = {.ids = some_of(m, t, batch->items, true)}, tails = {.ids = some_of(m, t, batch->items, false)};
    if (heads.ids.count < 2 || tails.ids.count < 1) return NULL;
    cru_tensor *total = cru_plus(t, NULL, 2 * s->alpha, group_loss(l, m, t, &heads));
    total = cru_plus(t, total, 2 * (1 - s->alpha), group_loss(l, m, t, &tails));
    total = cru_plus(t, total, s->mu_nodes, node_relevance(m, t, &heads));
    total = cru_plus(t, total, s->mu_parts, part_relevance(m, t, &heads));
    const double each = s->lambda / (double)batch->count;
    total = cru_plus(t, total, each, likeness(t, &heads));
    return cru_plus(t, total, each, likeness(t, &tails));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l, (void)t, (void)batch;
    cru_optim_step(((model *)self)->memory_optim);
}

static double epoch(cru_learner *l, void *self)
{
    (void)self;
    const settings *s = l->settings;
    cru_optim_set_lr(l->optim, cru_lr_step(s->train.lr, l->epoch, s->halve_every, 0.5));
    return cru_learner_epoch(l);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .forward = forward, .batch_loss = batch_loss,
               .after_step = after_step, .epoch = epoch, .graphs = CRU_AT(settings, graphs), .widen = cru_weights_only,
               .state = cru_no_state),
    .name = "solt-gnn",
    .version = "2.0",
    .summary = "a memory of patterns from large graphs",
    .citation = "Liu, Mao, Liu, Fang, Sun. On Size-Oriented Long-Tailed Graph Classification of Graph Neural "
                "Networks. WWW 2022.",
    .problems = CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
