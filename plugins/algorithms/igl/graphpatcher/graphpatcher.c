// SPDX-License-Identifier: Apache-2.0
/* graphpatcher: gives nodes of few neighbours new ones, so that a fixed network sees what it would see of a richer
 * node.
 *
 *     a GCN of two means is trained and fixed; then, for random anchors of a degree of at least `least_degree`:
 *     1. K_T: the neighbours of v less each with probability r_T;
 *     2. step t = 1, 2, ...: a generator adds one node to v; the GCN's output should be that of v with neighbours
 *        dropped by r_T-t (in 10 samples), in the end that of v as it is; patch_loss in patch.h
 *     generator: two means to `width`, then MLP([ReLU(g_v); x_v]) to the features of the new node
 *
 * What a step adds is fixed for the next one. Predictions have 1 .. `steps` new nodes a node, as many as give the
 * highest validation accuracy. With variant = bench, the authors' code, the losses of all steps but the last are
 * constants (patch.h). An epoch is `eval_every` steps of the generator. Graphs are made undirected. For PubMed and
 * ogbn-arXiv the study normalises symmetrically; here all graphs have means.
 *
 * Ju, Zhao, Yu, Shah, Ye. GraphPatcher: Mitigating Degree Bias for Graph Neural Networks via Test-time Augmentation.
 * NeurIPS 2023. */
#include <math.h>
#include <string.h>

#include "patch.h"
#include "stage.h"

enum { SAMPLES = 10, BENCH = 0, PAPER };
static const char *const variants[] = {"bench", "paper", NULL};

typedef struct settings {
    int64_t hidden, width, batch, ratios, steps, least_degree, eval_every, variant;
    double dropout, generator_dropout, ratio, first, patience, first_lr;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5),
    CRU_INT(settings, width, 128, 1, 65536, "of the generator"),
    CRU_FLOAT(settings, generator_dropout, 0.2, 0, 0.99, "in the generator"),
    CRU_INT(settings, batch, 64, 1, 1e6, "anchors in a step", .search = CRU_ONE_OF(4, 8, 16, 64)),
    CRU_INT(settings, ratios, 3, 1, 16, "strengths of corruption: ratio, 2 ratio, ...", .search = CRU_ONE_OF(3, 4, 5)),
    CRU_FLOAT(settings, ratio, 0.3, 0, 1, "share of neighbours that the weakest drops",
              .search = CRU_ONE_OF(0.1, 0.2, 0.3)),
    CRU_INT(settings, steps, 5, 1, 100, "most new nodes of a node in a prediction", .search = CRU_ONE_OF(3, 4, 5)),
    CRU_INT(settings, least_degree, 1, 0, 1e9, "of an anchor"),
    CRU_INT(settings, eval_every, 10, 1, 1e9, "steps of the generator in an epoch"),
    CRU_FLOAT(settings, first, 2, 0, 1e6, "most epochs of the fixed network, in multiples of `epochs`"),
    CRU_FLOAT(settings, patience, 1, 0, 1e6, "its epochs after the best, likewise"),
    CRU_FLOAT(settings, first_lr, 1e-3, 0, CRU_NO_MAX, "its learning rate"),
    CRU_CHOICE(settings, variant, BENCH, variants, "softmax over samples, or over classes"),
    CRU_INT_KEY(settings, "epochs", train.epochs, 100, 0, 1e9, "most training epochs"),
    CRU_FLOAT_KEY(settings, "lr", train.lr, 1e-4, 0, CRU_NO_MAX, "learning rate"),
    CRU_FLOAT_KEY(settings, "weight_decay", train.weight_decay, 5e-4, 0, CRU_NO_MAX, "L2 penalty"),
    CRU_CHOICE_KEY(settings, "optimiser", train.optimiser, CRU_ADAMW, cru_optimiser_names,
                   "how gradients become steps"),
    CRU_END,
};

typedef struct model {
    cru_csr graph;          /* undirected, without loops */
    cru_sparse *mean;       /* D^-1 (A + I) */
    cru_tensor *x, *spread; /* dense features, and their means */
    cru_net *fixed;
    cru_fc target[2];
    patch_generator generator;
    cru_tensor *steps;  /* how many new nodes; kept with the weights */
    cru_tensor *hidden; /* of the fixed network */
    int32_t *anchors;
    int64_t anchor_count;
    cru_rng rng;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_csr both = cru_learner_undirected(l);
    m->graph = cru_graph_loops(cru_ctx_pool(l->ctx), &both, CRU_LOOPS_REMOVE);
    m->mean = cru_adjacency_create(l->ctx, &m->graph, &(cru_adjacency){CRU_LOOPS_ADD, CRU_NORM_ROW});
    cru_tape_begin(l->tape, CRU_EVAL);
    m->x = cru_tensor_kept(l->tape, cru_input_dense(l->tape, &l->x));
    m->spread = cru_tensor_kept(l->tape, cru_spmm(l->tape, m->mean, m->x));
    m->fixed = cru_learner_net(l, "target");
    m->target[0] = cru_fc_create_drawn(m->fixed, "conv0", l->x.cols, s->hidden, CRU_DRAW_GLOROT, true);
    m->target[1] = cru_fc_create_drawn(m->fixed, "conv1", s->hidden, task->classes, CRU_DRAW_GLOROT, true);
    m->generator = patch_generator_create(l->net, l->x.cols, s->width, s->generator_dropout);
    m->steps = cru_net_buffer(l->net, "steps", cru_1d(1), 1);
    m->hidden = cru_tensor_create(l->ctx, cru_2d(task->nodes, s->hidden));
    m->anchors = cru_ctx_alloc(l->ctx, task->nodes, sizeof *m->anchors);
    for (int32_t v = 0; v < task->nodes; v++)
        if (m->graph.offsets[v + 1] - m->graph.offsets[v] >= s->least_degree) m->anchors[m->anchor_count++] = v;
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    l->optim = cru_learner_optim(l, &l->net, 1);
}

/* ---- the fixed network ----------------------------------------------------------------------------------- */

static cru_tensor *target_hidden(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    return cru_dropout(t, cru_relu(t, cru_fc_apply(t, &m->target[0], m->spread)), s->dropout);
}

static cru_tensor *target_logits(cru_learner *l, const model *m, cru_tape *t)
{
    return cru_fc_apply(t, &m->target[1], cru_spmm(t, m->mean, target_hidden(l, m, t)));
}

static void target_step(cru_learner *l, void *user, cru_optim *optim)
{
    cru_tape_begin(l->tape, CRU_TRAIN);
    cru_learner_step(l, optim, cru_learner_loss(l, l->tape, target_logits(l, user, l->tape)));
}

static double target_score(cru_learner *l, void *user, cru_tape *t)
{
    return cru_learner_val_accuracy(l, t, target_logits(l, user, t));
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_optim *adam = cru_optim_create(l->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = s->first_lr, .decay = 5e-4});
    cru_optim_add(adam, m->fixed, NULL);
    stage_run(l, &(stage){.net = m->fixed,
                          .optim = adam,
                          .epochs = (double)s->train.epochs * s->first,
                          .earliest = true,
                          .patience = (double)s->train.epochs * s->patience,
                          .step = target_step,
                          .score = target_score,
                          .user = m});
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor_keep(l->tape, m->hidden, target_hidden(l, m, l->tape));
}

static cru_tensor *classify(cru_tape *t, const model *m, const egos *e)
{
    cru_tensor *empty = cru_relu(t, cru_as_matrix(t, m->target[0].b, 1, -1));
    cru_tensor *own = egos_first(t, e, &m->target[0], 0), *others = cru_spmm(t, e->kept, m->hidden);
    return egos_second(t, e, own, others, empty, &m->target[1]);
}

/* ---- the generator --------------------------------------------------------------------------------------- */

/* What step i of a training has to reach; *samples tells how many rows an anchor has. */
static cru_tensor *aim(cru_learner *l, model *m, cru_tape *t, cru_ids anchors, int64_t i, int64_t *samples)
{
    const settings *s = l->settings;
    *samples = i + 1 < s->ratios ? SAMPLES : 1;
    int32_t *rows = cru_tape_alloc(t, anchors.count * *samples, sizeof *rows);
    for (int64_t k = 0; k < anchors.count * *samples; k++) rows[k] = anchors.ids[k / *samples];
    const double drop = fmin(1, (double)(s->ratios - 1 - i) * s->ratio);
    const egos e = egos_create(t, &m->graph, m->x, (cru_ids){rows, anchors.count * *samples}, drop, &m->rng);
    return cru_detach(t, classify(t, m, &e));
}

static double step(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    const int64_t count = s->batch < m->anchor_count ? s->batch : m->anchor_count;
    int32_t *ids = cru_tape_alloc(t, count, sizeof *ids);
    cru_rng_choose(&m->rng, m->anchor_count, count, ids);
    for (int64_t i = 0; i < count; i++) ids[i] = m->anchors[ids[i]];
    const cru_ids anchors = {ids, count};
    egos e = egos_create(t, &m->graph, m->x, anchors, fmin(1, (double)s->ratios * s->ratio), &m->rng);
    cru_tensor *loss = NULL, *near = patch_near(t, &m->generator, &m->graph, m->spread, anchors);
    for (int64_t i = 0; i < s->ratios; i++) {
        int64_t samples;
        cru_tensor *target = aim(l, m, t, anchors, i, &samples), *feature = patch_generate(t, &m->generator, &e, near);
        const egos patched = egos_patch(t, &e, feature);
        cru_tensor *z = classify(t, m, &patched);
        loss = cru_plus(t, loss, 1, patch_loss(t, target, z, samples, samples > 1 && s->variant == BENCH));
        e = egos_patch(t, &e, cru_detach(t, feature));
    }
    const double value = cru_learner_step(l, l->optim, loss);
    cru_net_clear(m->fixed);
    return value;
}

static double epoch(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    double loss = NAN;
    const model *m = self;
    for (int64_t i = 0; m->anchor_count && i < s->eval_every && cru_ctx_status(l->ctx) == CRU_OK; i++)
        loss = step(l, self);
    return loss;
}

/* ---- prediction ------------------------------------------------------------------------------------------ */

/* Logits of all nodes, 0 for those not asked for, with `steps` new nodes each. */
static cru_tensor *predict(cru_learner *l, const model *m, cru_tape *t, cru_ids nodes, int64_t steps)
{
    const cru_index rows = cru_index_step(t, nodes.ids, nodes.count);
    cru_tensor *near = patch_near(t, &m->generator, &m->graph, m->spread, nodes);
    egos e = egos_create(t, &m->graph, m->x, nodes, 0, NULL);
    for (int64_t i = 0; i < steps; i++) e = egos_patch(t, &e, patch_generate(t, &m->generator, &e, near));
    return cru_scatter(t, classify(t, m, &e), rows, l->task->nodes, CRU_REDUCE_SUM);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    int32_t *ids = cru_tape_alloc(t, l->task->nodes, sizeof *ids);
    for (int32_t v = 0; v < l->task->nodes; v++) ids[v] = v;
    const cru_ids nodes = l->validation_only ? l->task->split.val : (cru_ids){ids, l->task->nodes};
    return predict(l, m, t, nodes, (int64_t)cru_tensor_host(t, m->steps)[0]);
}

/* How many new nodes are best. */
static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    double best = -1;
    float chosen = 1;
    for (int64_t steps = 1; steps <= s->steps; steps++) {
        cru_tape_begin(l->tape, CRU_EVAL);
        cru_tensor *z = predict(l, m, l->tape, l->task->split.val, steps);
        const double found = cru_learner_val_accuracy(l, l->tape, z);
        if (found > best) best = found, chosen = (float)steps;
    }
    cru_tensor_set(l->ctx, m->steps, &chosen);
}

static void state(cru_learner *l, void *self, cru_state *file)
{
    (void)l;
    const model *m = self;
    cru_state_tensor(file, "hidden", m->hidden);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .prepare = prepare,
               .epoch = epoch, .after_epoch = after_epoch, .state = state),
    .name = "graphpatcher",
    .version = "1.0",
    .summary = "new neighbours for nodes that have few, made for a network that is fixed",
    .citation = "Ju, Zhao, Yu, Shah, Ye. GraphPatcher: Mitigating Degree Bias for Graph Neural Networks via Test-time "
                "Augmentation. NeurIPS 2023.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
