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
 * p_u is low), an epoch is judged with the edge weights before its step, and a node u aggregates from U. paper: w has a
 * gradient, Q is renewed whenever the miner's validation accuracy reaches a new best, and nodes of U aggregate from u.
 *
 * Dai, Aggarwal, Wang. NRGNN: Learning a Label Noise-Resistant Graph Neural Network on Sparsely and Noisily Labeled
 * Graphs. KDD 2021. */
#include "labelled-edges.h"
#include "noisy-labels.h"

enum { PROBLEMS = CRU_NODES };

typedef struct settings {
    int64_t variant, n_p, n_n, edge_hidden, hidden, layers;
    double alpha, beta, t_small, p_u, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, variant, VARIANT_BENCH, variant_names, "bench: fixed pseudo labels, no gradient to edges"),
    CRU_FLOAT(settings, alpha, 0.03, 0, CRU_NO_MAX, "weight of the reconstruction",
              .search = CRU_ONE_OF(0.01, 0.02, 0.03)),
    CRU_FLOAT(settings, beta, 1, 0, CRU_NO_MAX, "weight of pseudo labels", .search = CRU_ONE_OF(0.01, 0.1, 1, 10)),
    CRU_INT(settings, n_p, 50, 1, 1e6, "similar labelled nodes per node"),
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
    cru_learner base;
    cru_rng rng;
    cru_sparse *adj, *joint;    /* D^-1/2 (A + I) D^-1/2; the pattern of A + K + I */
    cru_tensor *fixed, *learnt; /* per entry of joint: weight in A + I; 1 where in K */
    cru_tensor *weights;        /* of joint as last trained on; kept with the best epoch */
    cru_tensor *labels;         /* Q, items x classes; kept, too */
    cru_ids unlabelled;
    cru_gcn_stack estimator, miner, classifier;
    double best_miner; /* validation accuracy */
} model;

/* A graph of one step: learned weights on `joint` and, between unlabelled nodes and U, a dense block. */
typedef struct edges {
    cru_tensor *sparse, *dense; /* entries x 1; unlabelled x |U| or NULL */
    cru_index rows, cols;       /* the unlabelled nodes, U */
} edges;

/* ---- set-up ---------------------------------------------------------------------------------------------- */

static cru_gcn_stack convolutions(const model *m, const char *name, int64_t hidden, int64_t out)
{
    const settings *s = m->base.settings;
    return cru_gcn_stack_create(
        m->base.net, name,
        &(cru_gcn_shape){
            .in = m->base.task->x.cols, .hidden = hidden, .out = out, .layers = s->layers, .draw = CRU_DRAW_GLOROT});
}

/* n x 1: 1 where `part` stores the entry of `whole`, times its value. */
static cru_tensor *marks(cru_ctx *ctx, const cru_csr *whole, const cru_csr *part)
{
    const int64_t count = cru_csr_nnz(whole);
    float *mark = cru_ctx_alloc(ctx, count, sizeof *mark);
    for (int64_t v = 0; v < whole->rows; v++)
        for (int64_t e = whole->offsets[v]; e < whole->offsets[v + 1]; e++) {
            const int64_t at = cru_csr_find(part, v, whole->ids[e]);
            if (at >= 0) mark[e] = part->values ? part->values[at] : 1;
        }
    return cru_tensor_from(ctx, 2, (const int64_t[]){count, 1}, mark);
}

static void join_graphs(model *m)
{
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    const cru_pool pool = cru_ctx_pool(m->base.ctx);
    const cru_csr looped = cru_graph_loops(pool, &task->graph, CRU_LOOPS_ADD);
    const cru_csr similar = similar_labelled(pool, task, s->n_p);
    const cru_csr sum = cru_csr_add(pool, &looped, 1, &similar, 1), joint = cru_csr_pattern(&sum);
    m->joint = cru_sparse_create(m->base.ctx, &joint);
    m->fixed = marks(m->base.ctx, &joint, &looped);
    m->learnt = marks(m->base.ctx, &joint, &similar);
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    cru_ctx *ctx = m->base.ctx;
    m->rng = cru_ctx_stream(ctx, "sampling");
    m->adj = cru_adjacency_create(ctx, &task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_SYM});
    join_graphs(m);
    m->estimator = convolutions(m, "estimator", s->edge_hidden, s->edge_hidden);
    m->miner = convolutions(m, "miner", s->hidden, task->classes);
    m->classifier = convolutions(m, "classifier", s->hidden, task->classes);
    m->weights = cru_net_buffer(m->base.net, "weights", 2, m->fixed->dim, 0);
    m->labels = cru_net_buffer(m->base.net, "labels", 2, (const int64_t[]){task->items, task->classes}, 0);
    uint8_t *trained = cru_ctx_alloc(ctx, task->items, 1);
    int32_t *rest = cru_ctx_alloc(ctx, task->items, sizeof *rest);
    int64_t count = 0;
    for (int64_t i = 0; i < task->split.train.count; i++) trained[task->split.train.ids[i]] = 1;
    for (int32_t v = 0; v < task->items; v++)
        if (!trained[v]) rest[count++] = v;
    m->unlabelled = (cru_ids){rest, count};
    return cru_ctx_status(ctx);
}

/* ---- graphs of a step ------------------------------------------------------------------------------------ */

static cru_index pseudo_labelled(model *m, cru_tape *t)
{
    const settings *s = m->base.settings;
    float *q = cru_tape_alloc(t, cru_tensor_count(m->labels), sizeof *q);
    cru_tensor_download(t, m->labels, q);
    return confident(t, m->unlabelled, q, m->base.task->classes, s->p_u);
}

/* unlabelled x |U|: thresholded products, 0 between a node and itself */
static cru_tensor *dense_block(model *m, cru_tape *t, cru_tensor *r, const edges *g)
{
    const settings *s = m->base.settings;
    int32_t *own = cru_tape_alloc(t, m->unlabelled.count, sizeof *own);
    for (int64_t i = 0, next = 0; i < m->unlabelled.count; i++) {
        const bool same = next < g->cols.count && g->cols.ids[next] == m->unlabelled.ids[i];
        own[i] = same ? (int32_t)next++ : -1;
    }
    cru_tensor *self_pairs = cru_one_hot(t, cru_index_step(t, own, m->unlabelled.count), g->cols.count);
    cru_tensor *product = cru_matmul_op(t, cru_gather(t, r, g->rows), cru_gather(t, r, g->cols), CRU_NT);
    return cru_mul(t, cut_off(t, product, (float)s->t_small), cru_affine(t, self_pairs, -1, 1));
}

/* Normalised weights of G1, or with `add` of G2. */
static edges weigh(model *m, cru_tape *t, cru_tensor *r, cru_index add)
{
    const settings *s = m->base.settings;
    const bool back = s->variant == VARIANT_PAPER; /* U aggregates */
    const int64_t n = m->base.task->items;
    edges g = {.rows = cru_index_step(t, m->unlabelled.ids, m->unlabelled.count), .cols = add};
    g.sparse = cru_add(t, m->fixed, cru_mul(t, m->learnt, similar_weights(t, m->joint, r, (float)s->t_small)));
    cru_tensor *degree = cru_edge_sum(t, m->joint, g.sparse); /* n x 1 */
    if (add.count) {
        g.dense = dense_block(m, t, r, &g);
        cru_tensor *sums = cru_as_matrix(t, cru_sum(t, g.dense, back ? 0 : 1), -1, 1);
        degree = cru_add(t, degree, cru_scatter(t, sums, back ? g.cols : g.rows, n, CRU_REDUCE_SUM));
    }
    cru_tensor *inverse = cru_pow(t, degree, -0.5f);
    g.sparse = cru_mul(t, g.sparse, cru_edge_mul(t, m->joint, inverse, inverse));
    if (g.dense) {
        cru_tensor *right = cru_as_matrix(t, cru_gather(t, inverse, g.cols), 1, -1);
        g.dense = cru_mul(t, cru_mul(t, g.dense, cru_gather(t, inverse, g.rows)), right);
    }
    return g;
}

static cru_tensor *aggregate(model *m, cru_tape *t, const edges *g, cru_tensor *x)
{
    const settings *s = m->base.settings;
    const bool back = s->variant == VARIANT_PAPER;
    cru_tensor *y = cru_spmm_weighted(t, m->joint, g->sparse, x);
    if (!g->dense) return y;
    cru_tensor *sent = cru_gather(t, x, back ? g->rows : g->cols);
    cru_tensor *more = cru_matmul_op(t, g->dense, sent, back ? CRU_TN : CRU_NN);
    return cru_add(t, y, cru_scatter(t, more, back ? g->cols : g->rows, m->base.task->items, CRU_REDUCE_SUM));
}

static cru_tensor *predict_on(model *m, cru_tape *t, const edges *g, const cru_gcn_stack *net)
{
    const settings *s = m->base.settings;
    cru_input in = m->base.x;
    cru_tensor *y = NULL;
    for (int64_t i = 0; i < net->layers; i++) {
        if (i) in = cru_input_of(cru_dropout(t, cru_relu(t, y), (float)s->dropout));
        y = cru_add(t, aggregate(m, t, g, cru_input_linear(t, &in, net->layer[i].w, NULL)), net->layer[i].b);
    }
    return y;
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_index add = pseudo_labelled(m, t);
    edges g = {.sparse = m->weights};
    if (s->variant == VARIANT_PAPER || add.count)
        g = weigh(m, t, cru_gcn_stack_input(t, &m->estimator, m->adj, &m->base.x), add);
    return predict_on(m, t, &g, &m->classifier);
}

/* ---- training -------------------------------------------------------------------------------------------- */

static cru_tensor *reconstruct(model *m, cru_tape *t, cru_tensor *r)
{
    const settings *s = m->base.settings;
    const cru_csr *graph = &m->base.task->graph;
    const int64_t count = s->n_n * m->base.task->nodes, nnz = cru_csr_nnz(graph);
    const cru_pairs pairs = {.count = count,
                             .row = cru_tape_alloc(t, count, sizeof(int32_t)),
                             .col = cru_tape_alloc(t, count, sizeof(int32_t))};
    int32_t *row = cru_tape_alloc(t, nnz, sizeof *row);
    cru_sample_non_edges(graph, &m->rng, &pairs, cru_ctx_error(m->base.ctx));
    cru_csr_entry_rows(graph, row);
    return reconstruction(t, r, upper_pairs(t, pairs.row, pairs.col, count), upper_pairs(t, row, graph->ids, nnz));
}

static void store(model *m, cru_tape *t, cru_tensor *to, cru_tensor *from)
{
    float *host = cru_tape_alloc(t, cru_tensor_count(from), sizeof *host);
    cru_tensor_download(t, from, host);
    cru_tensor_set(m->base.ctx, to, host);
}

/* mean over U of - sum_k Q_k log clamp(softmax(f)_k) */
static cru_tensor *pseudo_loss(const model *m, cru_tape *t, cru_tensor *z, cru_index add)
{
    cru_tensor *p = cru_clamp(t, cru_softmax(t, cru_gather(t, z, add), 1), 1e-8f, 1 - 1e-8f);
    cru_tensor *q = cru_gather(t, m->labels, add);
    return cru_neg(t, cru_mean(t, cru_sum(t, cru_mul(t, q, cru_log(t, p)), 1), CRU_ALL));
}

static cru_status epoch(void *self, double *loss)
{
    model *m = self;
    const settings *s = m->base.settings;
    cru_learner *l = &m->base;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *r = cru_gcn_stack_input(t, &m->estimator, m->adj, &l->x);
    cru_tensor *held = s->variant == VARIANT_BENCH ? cru_detach(t, r) : r;
    edges g = weigh(m, t, held, (cru_index){0});
    cru_tensor *mined = predict_on(m, t, &g, &m->miner);
    if (s->variant == VARIANT_BENCH && l->epoch == 0) store(m, t, m->labels, cru_softmax(t, mined, 1));
    const cru_index add = pseudo_labelled(m, t);
    if (add.count) g = weigh(m, t, held, add);
    cru_tensor *z = predict_on(m, t, &g, &m->classifier);
    cru_tensor *total = cru_add(t, cru_learner_loss(l, t, z), cru_learner_loss(l, t, mined));
    total = cru_add(t, total, cru_scale(t, reconstruct(m, t, r), (float)s->alpha));
    if (add.count) total = cru_add(t, total, cru_scale(t, pseudo_loss(m, t, z, add), (float)s->beta));
    store(m, t, m->weights, g.sparse);
    if (cru_ctx_status(l->ctx)) return cru_ctx_status(l->ctx);
    *loss = cru_learner_step(l, l->optim, total);
    return CRU_OK;
}

/* The miner's accuracy on observed validation labels. */
static double miner_accuracy(const model *m, cru_tape *t, const cru_tensor *z)
{
    const cru_ids val = m->base.task->split.val;
    int32_t *chosen = cru_tape_alloc(t, m->base.task->items, sizeof *chosen);
    cru_index_download(t, cru_argmax(t, z), chosen);
    int64_t right = 0;
    for (int64_t i = 0; i < val.count; i++) right += chosen[val.ids[i]] == m->base.task->labels[val.ids[i]];
    return val.count ? (double)right / (double)val.count : 0;
}

static cru_status after_epoch(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    cru_tape *t = m->base.tape;
    if (s->variant == VARIANT_BENCH) return CRU_OK;
    cru_tape_begin(t, CRU_EVAL);
    const edges g = weigh(m, t, cru_gcn_stack_input(t, &m->estimator, m->adj, &m->base.x), (cru_index){0});
    cru_tensor *z = predict_on(m, t, &g, &m->miner);
    const double accuracy = miner_accuracy(m, t, z);
    if (accuracy > m->best_miner) {
        m->best_miner = accuracy;
        store(m, t, m->labels, cru_softmax(t, z, 1));
    }
    return cru_ctx_status(m->base.ctx);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .logits = logits,
                                  .epoch = epoch,
                                  .after_epoch = after_epoch};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "nrgnn",
    .version = "1.0",
    .summary = "learned edges to labelled nodes, and pseudo labels",
    .citation = "Dai, Aggarwal, Wang. NRGNN: Learning a Label Noise-Resistant Graph Neural Network on Sparsely and "
                "Noisily Labeled Graphs. KDD 2021.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
