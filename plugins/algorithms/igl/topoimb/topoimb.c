// SPDX-License-Identifier: Apache-2.0
/* topoimb: training graphs whose structure is rare weigh more, as an adversary finds them.
 *
 *     predictor:   h_i = Drop(ReLU(conv(h_i-1)))      logits = [max; mean of h_L over the graph] W + b
 *     reweighter:  x_0 = X W + b      x_l = recall_l(ReLU(MLP_l([A x_l-1; x_l-1])))      (struct-memory.h)
 *                  e = [max; mean of (x_1 | ... | x_L) over the graph]      w = weights of e V + c, q = softmax(e U + d)
 *
 *     predictor:   lambda mean w_i l_i + (1 - lambda) mean l_i      l_i: its cross-entropy for graph i
 *     reweighter, `adv_steps` times:  -mean w_i l_i + CE(q)
 *     structure:   CE of the group of a graph, by a perceptron on e; moves the reweighter, too
 *     memory:      mean w_i l_i - CE(q); the templates alone, in a second pass over the batches
 *
 * Groups are clusters of Weisfeiler-Lehman histograms over all graphs. conv of backbone = gin is MLP(x + A x). An MLP
 * is linear, leaky ReLU of slope 0.1, linear.
 *
 * variant = bench: gradients of the reweighter are clipped at norm 2; the study clips those of predictor and structure
 * before they are there. paper: all are clipped. Graphs and their groups match, which they do not in the study's
 * package.
 *
 * Zhao, Luo, Zhang, Wang. TopoImb: Toward Topology-level Imbalance in Learning from Graphs. LoG 2022. */
#include <stdio.h>

#include "graph-encoder.h"
#include "struct-memory.h"

static const double default_share = 0.2, clip = 2;

typedef struct settings {
    layer_choice network;
    int64_t variant, layers, hidden, templates, groups, adv_steps;
    double dropout, reweight, reweight_lr;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: clip the reweighter's gradients; paper: all"),
    GRAPH_LAYER_CHOICE(settings, network),
    CRU_INT(settings, layers, 3, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(2, 3, 4)),
    CRU_INT(settings, hidden, 128, 1, 65536, "width", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each convolution", .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_INT(settings, templates, 8, 1, 4096, "templates in a layer, besides the default one"),
    CRU_INT(settings, groups, 8, 1, 4096, "groups of graphs by structure"),
    CRU_INT(settings, adv_steps, 1, 0, 1000, "steps of the reweighter in a batch"),
    CRU_FLOAT(settings, reweight, 0.2, 0, 1, "share of the weighed loss", .search = CRU_UNIFORM(0.2, 0.6)),
    CRU_FLOAT(settings, reweight_lr, 0.005, 0, CRU_NO_MAX, "learning rate of reweighter and memory"),
    CRU_ADJACENCY_SETTINGS(settings, graphs.adjacency, CRU_LOOPS_KEEP, CRU_NORM_NONE),
    CRU_INT_KEY(settings, "batch", graphs.batch, 128, 1, 1e9, "graphs in a step"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.002, 5e-4),
    CRU_END,
};

typedef struct model {
    leaky_mlp gin[CRU_MAX_LAYERS]; /* the predictor: these, or another encoder, and a linear layer */
    graph_encoder encoder;
    cru_fc classes;
    cru_fc first, weight, own_classes; /* the reweighter */
    leaky_mlp structure[CRU_MAX_LAYERS], group_head;
    cru_tensor *memory[CRU_MAX_LAYERS];
    cru_optim *reweighter, *templates, *grouping;
    int32_t *group; /* of every graph */
} model;

static void build_layers(cru_learner *l, model *m, cru_net *reweighter, cru_net *memory)
{
    const settings *s = l->settings;
    char name[24];
    for (int64_t i = 0; i < s->layers; i++) {
        snprintf(name, sizeof name, "conv%d", (int)i);
        if (m->encoder.kind == BACKBONE_GIN)
            m->gin[i] = leaky_mlp_create(l->net, name, i ? s->hidden : l->x.cols, s->hidden, s->hidden);
        m->structure[i] = leaky_mlp_create(reweighter, name, 2 * s->hidden, s->hidden, s->hidden);
        snprintf(name, sizeof name, "memory%d", (int)i);
        m->memory[i] = cru_net_weight(memory, name, cru_2d(s->hidden, s->templates + 1),
                                      (cru_init){.kind = CRU_INIT_FAN_IN, .fan_in = s->templates + 1});
    }
}

static cru_optim *adam(cru_learner *l, double lr, cru_net *const *nets, int64_t count)
{
    cru_optim *optim = cru_learner_optim(l, nets, count);
    cru_optim_set_lr(optim, lr);
    return optim;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t wide = 2 * s->hidden * s->layers;
    cru_net *reweighter = cru_learner_net(l, "reweighter"), *memory = cru_learner_net(l, "memory");
    cru_net *grouping = cru_learner_net(l, "grouping");
    m->encoder.kind = graph_backbone_of(&s->network);
    build_layers(l, m, reweighter, memory);
    if (m->encoder.kind != BACKBONE_GIN)
        m->encoder = graph_encoder_create_of(
            l->net, &s->network,
            &(cru_gin_shape){
                .in = l->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = s->layers, .dropout = s->dropout});
    m->classes = cru_fc_create(l->net, "classes", 2 * s->hidden, l->task->classes);
    m->first = cru_fc_create(reweighter, "first", l->x.cols, s->hidden);
    m->weight = cru_fc_create(reweighter, "weight", wide, 1);
    m->own_classes = cru_fc_create(reweighter, "own_classes", wide, l->task->classes);
    m->group_head = leaky_mlp_create(grouping, "group", wide, s->hidden, s->groups);
    m->group = structure_groups(l->ctx, l->task, (int32_t)s->layers, (int32_t)s->groups);
    l->optim = cru_learner_optim(l, &l->net, 1);
    m->reweighter = adam(l, s->reweight_lr, &reweighter, 1);
    m->templates = adam(l, s->reweight_lr, &memory, 1);
    m->grouping = adam(l, s->train.lr, (cru_net *[]){reweighter, memory, grouping}, 3);
}

/* ---- networks --------------------------------------------------------------------------------------------- */

static cru_tensor *read_out(cru_tape *t, const cru_graphs *g, cru_tensor *h)
{
    cru_tensor *both[2];
    both[0] = cru_segment(t, h, g->offsets, g->count, CRU_REDUCE_MAX);
    both[1] = cru_segment(t, h, g->offsets, g->count, CRU_REDUCE_MEAN);
    return cru_concat_cols(t, both, 2);
}

/* n x hidden: ReLU and dropout after every convolution */
static cru_tensor *represent(cru_learner *l, const model *m, cru_tape *t, const cru_graphs *g)
{
    const settings *s = l->settings;
    if (m->encoder.kind != BACKBONE_GIN) return graph_encoder_activated(t, &m->encoder, g);
    cru_tensor *h = NULL;
    for (int64_t i = 0; i < s->layers; i++) {
        cru_tensor *x = h ? cru_matmul(t, h, m->gin[i].in.w) : cru_input_linear(t, &g->x, m->gin[i].in.w, NULL);
        x = cru_add(t, cru_add(t, x, cru_spmm(t, g->adj, x)), m->gin[i].in.b);
        h = cru_dropout(t, cru_relu(t, leaky_mlp_after_first(t, &m->gin[i], x)), s->dropout);
    }
    return h;
}

static cru_tensor *forward(cru_learner *l, void *self, cru_tape *t, const cru_graphs *g)
{
    const model *m = self;
    return cru_fc_apply(t, &m->classes, cru_represent(t, read_out(t, g, represent(l, m, t, g))));
}

/* e: graphs x (2 hidden layers) */
static cru_tensor *describe(cru_learner *l, const model *m, cru_tape *t, const cru_graphs *g)
{
    const settings *s = l->settings;
    cru_tensor *x = cru_fc_input(t, &m->first, &g->x), *all[CRU_MAX_LAYERS];
    for (int64_t i = 0; i < s->layers; i++) {
        cru_tensor *both[2] = {cru_spmm(t, g->adj, x), x};
        cru_tensor *first = cru_fc_apply_parts(t, &m->structure[i].in, both, 2);
        x = cru_relu(t, leaky_mlp_after_first(t, &m->structure[i], first));
        x = all[i] = memory_recall(t, m->memory[i], x, default_share);
    }
    return read_out(t, g, cru_concat_cols(t, all, s->layers));
}

/* ---- training --------------------------------------------------------------------------------------------- */

/* Begins a step on some graphs. */
typedef struct turn {
    cru_graphs g;
    cru_targets targets;
} turn;

static turn begin(cru_learner *l, cru_ids items)
{
    cru_tape_begin(l->tape, CRU_TRAIN);
    return (turn){cru_graphs_select(l->tape, &l->graphs, items), {.labels = cru_learner_labels(l, l->tape, items)}};
}

/* Forgets what reached the nets that `optim` does not move. */
static double finish(cru_learner *l, cru_optim *optim, cru_tensor *loss, bool clipped)
{
    cru_backward(l->tape, loss);
    if (clipped) cru_optim_clip(optim, clip);
    cru_optim_step(optim);
    for (int64_t i = 0; i < l->net_count; i++) cru_net_clear(l->nets[i]);
    return (double)cru_tensor_item(l->tape, loss);
}

static double predictor_step(cru_learner *l, model *m, cru_ids items)
{
    const settings *s = l->settings;
    const turn b = begin(l, items);
    cru_tape *t = l->tape;
    cru_tensor *each = cru_cross_entropy_each(t, forward(l, m, t, &b.g), &b.targets);
    cru_tensor *w = graph_weights(t, cru_fc_apply(t, &m->weight, describe(l, m, t, &b.g)));
    return finish(l, l->optim, weighed_loss(t, each, w, s->reweight), s->variant == CRU_PAPER);
}

/* sign -1: the reweighter looks for graphs that cost much; 1: the memory for those that do not. */
static void weight_step(cru_learner *l, model *m, cru_ids items, double sign)
{
    const turn b = begin(l, items);
    cru_tape *t = l->tape;
    cru_tensor *each = cru_detach(t, cru_cross_entropy_each(t, forward(l, m, t, &b.g), &b.targets));
    cru_tensor *e = describe(l, m, t, &b.g);
    cru_tensor *w = graph_weights(t, cru_fc_apply(t, &m->weight, e));
    cru_tensor *own = cru_cross_entropy(t, cru_fc_apply(t, &m->own_classes, e), &b.targets);
    cru_tensor *loss = cru_plus(t, cru_scale(t, own, -sign), sign, cru_mean(t, cru_mul(t, w, each), CRU_ALL));
    finish(l, sign < 0 ? m->reweighter : m->templates, loss, true);
}

static void group_step(cru_learner *l, model *m, cru_ids items)
{
    const settings *s = l->settings;
    const turn b = begin(l, items);
    cru_tape *t = l->tape;
    int32_t *group = cru_tape_alloc(t, items.count, sizeof *group);
    for (int64_t i = 0; i < items.count; i++) group[i] = m->group[items.ids[i]];
    cru_tensor *first = cru_fc_apply(t, &m->group_head.in, describe(l, m, t, &b.g));
    cru_tensor *loss = cru_cross_entropy(t, leaky_mlp_after_first(t, &m->group_head, first),
                                         &(cru_targets){.labels = cru_index_step(t, group, items.count)});
    finish(l, m->grouping, loss, s->variant == CRU_PAPER);
}

static double epoch(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    const int64_t count = cru_batches_per_pass(&l->batches);
    double sum = 0;
    for (int64_t i = 0; i < count; i++) {
        const cru_ids items = cru_batches_next(&l->batches);
        sum += predictor_step(l, self, items);
        for (int64_t k = 0; k < s->adv_steps; k++) weight_step(l, self, items, -1);
        group_step(l, self, items);
    }
    for (int64_t i = 0; i < count; i++) weight_step(l, self, cru_batches_next(&l->batches), 1);
    return sum / (double)count;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .forward = forward, .epoch = epoch,
               .widen = cru_weights_only, .graphs = CRU_AT(settings, graphs), .state = cru_no_state),
    .name = "topoimb",
    .version = "1.0",
    .summary = "graphs of rare structure weigh more, found by an adversary with a memory",
    .citation = "Zhao, Luo, Zhang, Wang. TopoImb: Toward Topology-level Imbalance in Learning from Graphs. LoG 2022.",
    .problems = CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
