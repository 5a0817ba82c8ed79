// SPDX-License-Identifier: Apache-2.0
/* rtgnn: two peers on a graph with edges between labelled and similar nodes decide which labels to trust.
 *
 * An estimator's r = g(X, A), rows of length 1, weighs candidate edges K (candidates.h), which are directed:
 *     w_ij = r_i . r_j, 0 below tau      G = A + K weighed by w
 * Two GCNs predict z1 and z2 on G, normalised as a GCN's: D^-1/2 (G + I) D^-1/2 by row sums. With governance.h:
 *     loss = labelled + alpha reconstruction(r) + agreement on sure unlabelled nodes + lambda intra_view
 *
 * bench: w has no gradient, an epoch is judged, and the best one predicts, with the edge weights before its step; nodes
 * without features are candidates of all, labels are corrected from a confidence that depends on the number of labelled
 * nodes, and the first training item is never distrusted. paper: w has a gradient and is computed anew for a
 * prediction, nodes without features are similar to none, the number of classes counts.
 * The benchmark reports the mean of both peers' accuracies; here the first peer predicts.
 *
 * Qian, Ying, Hu, Zhou, Chen, Chen, Wu. Robust Training of Graph Neural Networks via Noise Governance. WSDM 2023. */
#include "candidates.h"
#include "governance.h"
#include "labelled-edges.h"

typedef struct settings {
    int64_t variant, k, n_neg, edge_hidden, hidden, layers;
    double tau, th, alpha, co_lambda, decay_w, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: no gradient to edges"),
    CRU_INT_KEY(settings, "k", k, 100, 1, 1e6, "candidate edges of a node"),
    CRU_FLOAT(settings, tau, 0.05, 0, 1, "least weight of an edge", .search = CRU_ONE_OF(0, 0.05, 0.1, 0.2)),
    CRU_FLOAT(settings, th, 0.95, 0, 1, "confidence of a pseudo label"),
    CRU_FLOAT(settings, alpha, 1, 0, CRU_NO_MAX, "weight of the reconstruction",
              .search = CRU_ONE_OF(0.03, 0.1, 0.3, 1)),
    CRU_FLOAT(settings, co_lambda, 0.1, 0, CRU_NO_MAX, "weight of agreement, lambda",
              .search = CRU_ONE_OF(0.05, 0.1, 0.2)),
    CRU_FLOAT(settings, decay_w, 0.1, 0, 1, "weight of labels that are neither trusted nor corrected"),
    CRU_INT(settings, n_neg, 100, 1, 10000, "sampled non-edges per node"),
    CRU_INT(settings, edge_hidden, 64, 1, 65536, "width of the estimator"),
    CRU_INT(settings, hidden, 128, 1, 65536, "width of the peers", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions of each", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of the peers after each activation", .search = CRU_UNIFORM(0.1, 0.9)),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    labelled_graph graph;
    cru_sparse *into;                     /* the nodes that aggregate from each training item: items x nodes */
    cru_tensor *into_fixed, *into_learnt; /* per entry: 1 in A; 1 in K */
    cru_tensor *weights;                  /* of G + I, normalised, as last trained on; kept with the best epoch */
    cru_ids unlabelled;
    cru_gcn_stack estimator, peer[2];
} model;

static void join_graphs(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const candidate_rules rules = {s->k, s->variant == CRU_BENCH};
    const cru_csr pairs = candidate_pairs(pool, task, m->unlabelled, &rules);
    m->graph = labelled_graph_create(l->ctx, &task->graph, &pairs);
    const cru_csr near = cru_csr_pattern(&task->graph), sum = cru_csr_add(pool, &near, 1, &pairs, 1);
    const cru_csr parts[] = {sum, near, pairs};
    cru_csr into[3]; /* columns of the training items as rows */
    for (int i = 0; i < 3; i++) {
        const cru_csr back = cru_csr_transpose(pool, &parts[i], NULL);
        into[i] = cru_csr_rows(pool, &back, train.ids, train.count);
    }
    into[0].values = NULL;
    m->into = cru_sparse_create(l->ctx, &into[0]);
    m->into_fixed = cru_learned_graph_marks(l->ctx, &into[0], &into[1]);
    m->into_learnt = cru_learned_graph_marks(l->ctx, &into[0], &into[2]);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->unlabelled = cru_ids_rest(cru_ctx_pool(l->ctx), l->task->split.train, l->task->items);
    join_graphs(l, m);
    cru_gcn_shape shape = {
        .in = l->x.cols, .hidden = s->edge_hidden, .out = s->edge_hidden, .layers = s->layers, .draw = CRU_DRAW_GLOROT};
    m->estimator = cru_gcn_stack_create(l->net, "estimator", &shape);
    shape.hidden = s->hidden, shape.out = l->task->classes, shape.dropout = s->dropout;
    m->peer[0] = cru_gcn_stack_create(l->net, "first", &shape);
    m->peer[1] = cru_gcn_stack_create(l->net, "second", &shape);
    m->weights = cru_net_buffer(l->net, "weights", cru_nd(2, m->graph.fixed->dim), 0);
}

static cru_tensor *represent(cru_learner *l, model *m, cru_tape *t)
{
    return cru_normalize_l2(t, cru_gcn_stack_input(t, &m->estimator, m->graph.adj, &l->x), 1e-12);
}

/* G + I, normalised */
static cru_learned_graph weigh(cru_learner *l, model *m, cru_tape *t, cru_tensor *r)
{
    const settings *s = l->settings;
    const cru_learned_graph g = labelled_graph_weigh(t, &m->graph, r, s->tau);
    return cru_learned_graph_normalise(t, &g);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    const settings *s = l->settings;
    cru_learned_graph g = {.pattern = m->graph.joint, .weights = m->weights};
    if (s->variant == CRU_PAPER) g = weigh(l, m, t, represent(l, m, t));
    g = present_edges(t, &g);
    return cru_learned_graph_convolve(t, &g, &m->peer[0], &l->x);
}

static cru_tensor *labelled(cru_learner *l, cru_tape *t, cru_tensor *const z[2])
{
    const settings *s = l->settings;
    const double count = (double)(s->variant == CRU_PAPER ? l->task->classes : l->train_rows.count);
    const governance g = {.epoch = (double)l->epoch,
                          .epochs = (double)s->train.epochs,
                          .decay = s->decay_w,
                          .lambda = s->co_lambda,
                          .least_margin = 1 / count,
                          .spare_first = s->variant == CRU_BENCH};
    cru_tensor *of_train[2];
    for (int i = 0; i < 2; i++) of_train[i] = cru_gather(t, z[i], l->train_rows);
    return labelled_loss(t, of_train, l->train_labels, &g);
}

/* The peers' loss on unlabelled nodes of which both are sure, or `total` itself. */
static cru_tensor *plus_agreed(cru_learner *l, const model *m, cru_tape *t, cru_tensor *const z[2], cru_tensor *total)
{
    const settings *s = l->settings;
    int32_t *said = NULL;
    const cru_ids sure = agreed(t, z, m->unlabelled, s->th, &said);
    if (sure.count == 0) return total;
    const cru_index rows = cru_index_step(t, sure.ids, sure.count);
    cru_tensor *of_sure[2];
    for (int i = 0; i < 2; i++) of_sure[i] = cru_gather(t, z[i], rows);
    return cru_add(t, total, peers_loss(t, of_sure, cru_index_step(t, said, sure.count), s->co_lambda));
}

static cru_tensor *within_views(cru_learner *l, const model *m, cru_tape *t, cru_tensor *r, cru_tensor *const z[2])
{
    const settings *s = l->settings;
    r = cru_detach(t, r);
    cru_tensor *learnt = cut_off(t, cru_sddmm(t, m->into, cru_gather(t, r, l->train_rows), r, 1), s->tau);
    cru_tensor *kept = cru_sign(t, cru_add(t, m->into_fixed, cru_mul(t, m->into_learnt, learnt)));
    return intra_view(t, &(inflow){m->into, kept}, z, l->train_rows);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = represent(l, m, t), *held = s->variant == CRU_BENCH ? cru_detach(t, r) : r, *z[2];
    const cru_learned_graph whole = weigh(l, m, t, held), g = present_edges(t, &whole);
    for (int i = 0; i < 2; i++) z[i] = cru_learned_graph_convolve(t, &g, &m->peer[i], &l->x);
    cru_tensor *total = labelled(l, t, z);
    total = cru_plus(t, total, s->alpha, reconstruct_sampled(l, t, &m->graph, r, &(absent_pairs){s->n_neg, &m->rng}));
    total = plus_agreed(l, m, t, z, total);
    total = cru_plus(t, total, s->co_lambda, within_views(l, m, t, r, z));
    cru_tensor_keep(t, m->weights, whole.weights);
    return cru_learner_step(l, l->optim, total);
}

static void report(cru_learner *l, void *self, cru_report *report)
{
    model *m = self;
    report_edges(l, report, &m->graph, m->weights);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .report = report, .state = cru_no_state),
    .name = "rtgnn",
    .version = "1.2",
    .summary = "two peers that trust, correct or doubt labels, on a graph with learned edges",
    .citation = "Qian, Ying, Hu, Zhou, Chen, Chen, Wu. Robust Training of Graph Neural Networks via Noise Governance. "
                "WSDM 2023.",
    .categories = "GLN, structure, robust training",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
