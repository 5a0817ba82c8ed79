// SPDX-License-Identifier: Apache-2.0
/* nrgnn: edges to similar labelled nodes outvote wrong labels, and sure predictions become labels.
 *
 * Three GCNs, trained together. The estimator's r = g(X, A) weighs candidate edges K (labelled-edges.h):
 *     w_ij = r_i . r_j, 0 below t_small
 *     G1 = A + K weighed by w      the miner h predicts on G1: Q = softmax(h)
 *     U = unlabelled nodes with max Q > p_u      G2 = G1 + edges between all unlabelled nodes and U, weighed alike
 *     the classifier f predicts on G2
 *     loss = CE(f) + CE(h) + alpha reconstruction(r) + beta mean over U of - sum_k Q_k log softmax(f)_k
 * Every graph is normalised as a GCN's: D^-1/2 (G + I) D^-1/2 by row sums.
 *
 * bench: w has no gradient, Q is that of the untrained miner in the first epoch and stays (so that U is empty unless
 * p_u is low), an epoch is judged, and the best one predicts, with the edge weights before its step, and a node u
 * aggregates from U. paper: w has a gradient, Q is renewed whenever the miner's validation accuracy reaches a new best,
 * and nodes of U aggregate from u.
 *
 * Dai, Aggarwal, Wang. NRGNN: Learning a Label Noise-Resistant Graph Neural Network on Sparsely and Noisily Labeled
 * Graphs. KDD 2021. */

#include "labelled-edges.h"
#include "noisy-labels.h"

typedef struct settings {
    int64_t variant, n_p, n_n, edge_hidden, hidden, layers;
    double alpha, beta, t_small, p_u, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: fixed pseudo labels, no gradient to edges"),
    CRU_FLOAT(settings, alpha, 0.03, 0, CRU_NO_MAX, "weight of the reconstruction",
              .search = CRU_ONE_OF(0.01, 0.02, 0.03)),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "weight of pseudo labels", .search = CRU_ONE_OF(0.01, 0.1, 1, 10)),
    CRU_INT(settings, n_p, 50, -1, 1e6, "similar labelled nodes per node; -1: all"),
    CRU_INT(settings, n_n, 50, 1, 10000, "sampled non-edges per node"),
    CRU_FLOAT(settings, t_small, 0.1, 0, CRU_NO_MAX, "least weight of an edge"),
    CRU_FLOAT(settings, p_u, 0.8, 0, 1, "confidence of a pseudo label"),
    CRU_INT(settings, edge_hidden, 64, 1, 65536, "width of the estimator"),
    CRU_INT(settings, hidden, 128, 1, 65536, "width of miner and classifier"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions of each"),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of miner and classifier after each activation"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.001, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    labelled_graph graph;
    /* kept with the best epoch, as last trained on: */
    cru_tensor *weights;     /* of joint, normalised, when U is empty */
    cru_tensor *represented; /* r, nodes x edge_hidden, which weighs G2 when U is not */
    cru_tensor *labels;      /* Q, items x classes */
    cru_ids unlabelled;
    cru_gcn_stack estimator, miner, classifier;
    double best_miner; /* validation accuracy */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_net *net = l->net;
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->unlabelled = cru_ids_rest(cru_ctx_pool(l->ctx), task->split.train, task->items);
    const cru_csr similar = similar_labelled(cru_ctx_pool(l->ctx), task, s->n_p);
    m->graph = labelled_graph_create(l->ctx, &task->graph, &similar);
    const cru_gcn_shape edges = {.in = task->x.cols,
                                 .hidden = s->edge_hidden,
                                 .out = s->edge_hidden,
                                 .layers = s->layers,
                                 .draw = CRU_DRAW_GLOROT};
    cru_gcn_shape classes = edges;
    classes.hidden = s->hidden, classes.out = task->classes, classes.dropout = s->dropout;
    m->estimator = cru_gcn_stack_create(net, "estimator", &edges);
    m->miner = cru_gcn_stack_create(net, "miner", &classes);
    m->classifier = cru_gcn_stack_create(net, "classifier", &classes);
    m->weights = cru_net_buffer(net, "weights", cru_nd(2, m->graph.fixed->dim), 0);
    m->represented = cru_net_buffer(net, "represented", cru_2d(task->nodes, s->edge_hidden), 0);
    m->labels = cru_net_buffer(net, "labels", cru_2d(task->items, task->classes), 0);
}

/* U */
static cru_ids pseudo_labelled(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    float *q = cru_tape_alloc(t, cru_tensor_count(m->labels), sizeof *q);
    cru_tensor_download(t, m->labels, q);
    return confident(t, m->unlabelled, q, l->task->classes, s->p_u);
}

/* Normalised G1, or with `add` G2. */
static cru_learned_graph weigh(cru_learner *l, model *m, cru_tape *t, cru_tensor *r, cru_ids add)
{
    const settings *s = l->settings;
    const double least = s->t_small;
    cru_learned_graph g = labelled_graph_weigh(t, &m->graph, r, least);
    if (add.count) {
        const bool back = s->variant == CRU_PAPER; /* U aggregates */
        const cru_ids rows = back ? add : m->unlabelled, cols = back ? m->unlabelled : add;
        g.dense = similar_block(t, r, rows, cols, least);
        g.rows = cru_index_step(t, rows.ids, rows.count);
        g.cols = cru_index_step(t, cols.ids, cols.count);
    }
    return cru_learned_graph_normalise(t, &g);
}

static cru_tensor *represent(cru_learner *l, model *m, cru_tape *t)
{
    return cru_gcn_stack_input(t, &m->estimator, m->graph.adj, &l->x);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_ids add = pseudo_labelled(l, m, t);
    cru_learned_graph g = {.pattern = m->graph.joint, .weights = m->weights};
    if (s->variant == CRU_PAPER)
        g = weigh(l, m, t, represent(l, m, t), add);
    else if (add.count)
        g = weigh(l, m, t, m->represented, add);
    g = present_edges(t, &g);
    return cru_learned_graph_convolve(t, &g, &m->classifier, &l->x);
}

/* mean over U of - sum_k Q_k log clamp(softmax(f)_k) */
static cru_tensor *pseudo_loss(const model *m, cru_tape *t, cru_tensor *z, cru_ids add)
{
    const cru_index rows = cru_index_step(t, add.ids, add.count);
    cru_tensor *p = cru_clamp(t, cru_softmax(t, cru_gather(t, z, rows), 1), 1e-8f, 1 - 1e-8f);
    cru_tensor *q = cru_gather(t, m->labels, rows);
    return cru_neg(t, cru_mean(t, cru_sum(t, cru_mul(t, q, cru_log(t, p)), 1), CRU_ALL));
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = represent(l, m, t), *held = s->variant == CRU_BENCH ? cru_detach(t, r) : r;
    cru_learned_graph whole = weigh(l, m, t, held, (cru_ids){0}), g = present_edges(t, &whole);
    cru_tensor *mined = cru_learned_graph_convolve(t, &g, &m->miner, &l->x);
    if (s->variant == CRU_BENCH && l->epoch == 0) cru_tensor_keep(t, m->labels, cru_softmax(t, mined, 1));
    const cru_ids add = pseudo_labelled(l, m, t);
    if (add.count) whole = weigh(l, m, t, held, add), g = present_edges(t, &whole);
    cru_tensor *z = cru_learned_graph_convolve(t, &g, &m->classifier, &l->x);
    cru_tensor *total = cru_learner_loss(l, t, mined);
    total = cru_add(t, cru_learner_loss(l, t, z), total);
    total = cru_plus(t, total, s->alpha, reconstruct_sampled(l, t, &m->graph, r, &(absent_pairs){s->n_n, &m->rng}));
    if (add.count) total = cru_plus(t, total, s->beta, pseudo_loss(m, t, z, add));
    cru_tensor_keep(t, m->weights, whole.weights);
    cru_tensor_keep(t, m->represented, r);
    return cru_learner_step(l, l->optim, total);
}

static void after_epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    if (s->variant == CRU_BENCH) return;
    cru_tape_begin(t, CRU_EVAL);
    const cru_learned_graph g = weigh(l, m, t, represent(l, m, t), (cru_ids){0});
    cru_tensor *z = cru_learned_graph_convolve(t, &g, &m->miner, &l->x);
    const double accuracy = cru_learner_val_accuracy(l, t, z);
    if (accuracy > m->best_miner) {
        m->best_miner = accuracy;
        cru_tensor_keep(t, m->labels, cru_softmax(t, z, 1));
    }
}

/* Edges to pseudo-labelled nodes are not counted. */
static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    report_edges(l, report, &m->graph, m->weights);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .after_epoch = after_epoch, .report = report, .state = cru_no_state),
    .name = "nrgnn",
    .version = "2.1",
    .summary = "learned edges to labelled nodes, and pseudo labels",
    .citation = "Dai, Aggarwal, Wang. NRGNN: Learning a Label Noise-Resistant Graph Neural Network on Sparsely and "
                "Noisily Labeled Graphs. KDD 2021.",
    .categories = "GLN, structure",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
