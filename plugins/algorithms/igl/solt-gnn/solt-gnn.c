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
 * L_n and L_s say that what a head's nodes and connected samples of up to b - 1 nodes recall is nearer to the rest of
 * this head than to another head (relevance.h);
 * b is the size at rank floor(0.2 G) from the top. A batch with fewer than two heads or no tail is passed over.
 * Memory and network have optimisers of their own; the learning rate of the latter halves every `halve_every` epochs.
 *
 * Liu, Mao, Liu, Fang, Sun. On Size-Oriented Long-Tailed Graph Classification of Graph Neural Networks. WWW 2022. */
#include <crucible/draft/optim.h>
#include <crucible/imbalance.h>

#include "relevance.h"

typedef struct settings {
    layer_choice network;
    int64_t layers, hidden, memory, heads, halve_every;
    double dropout, alpha, mu_nodes, mu_parts, lambda;
    bool learn_eps;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    GRAPH_LAYER_CHOICE(settings, network),
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
    for (int32_t g = 0; g < task->items; g++)
        order[g] = g, size[g] = task->graph_offsets[g + 1] - task->graph_offsets[g];
    cru_largest_first(order, task->items, size);
    for (int64_t i = 0; i < task->items && i < s->heads; i++) m->head[order[i]] = 1;
    m->largest = task->items ? (int64_t)cru_head_size(size, task->items) - 2 : 0;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_net *memory = cru_learner_net(l, "memory");
    cru_gin_shape shape = {.in = l->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = s->layers};
    shape.mlp_layers = 2, shape.learn_eps = s->learn_eps, shape.outer_norm = true;
    shape.dropout = graph_backbone_of(&s->network) == BACKBONE_GIN ? 0 : s->dropout;
    m->encoder = graph_encoder_create_of(l->net, &s->network, &shape);
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
    m->memory = pattern_memory_create(memory, s->hidden, s->memory);
    l->optim = cru_learner_optim(l, &l->net, 1);
    m->memory_optim = cru_learner_optim(l, &memory, 1);
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    mark_heads(l, m);
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static cru_tensor *classify(cru_learner *l, const model *m, cru_tape *t, group *g)
{
    const settings *s = l->settings;
    g->nodes = graph_encoder_graphs(t, &m->encoder, &g->graphs);
    g->whole = cru_graphs_readout(t, l, &g->graphs, g->nodes);
    g->recalled = pattern_memory_recall(t, &m->memory, g->whole);
    cru_tensor *z = cru_fc_apply(t, &m->out, cru_represent(t, cru_add(t, g->whole, g->recalled)));
    return m->encoder.kind == BACKBONE_GIN ? cru_dropout(t, z, s->dropout) : z;
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *graphs)
{
    return classify(l, self, t, &(group){.graphs = *graphs});
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
    const relevance asked = {&m->encoder, &m->memory, m->largest, &m->rng};
    total = cru_plus(t, total, s->mu_nodes, node_relevance(&asked, t, &heads));
    total = cru_plus(t, total, s->mu_parts, part_relevance(&asked, t, &heads));
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
