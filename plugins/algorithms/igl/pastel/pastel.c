// SPDX-License-Identifier: Apache-2.0
/* pastel: learns edges from features, from places relative to labelled nodes and from how classes conflict.
 *
 *     s1_uv = g_uv (mean_p cos(w_p * x_u, w_p * x_v))      g: places.h; x with dropout
 *     A1 = Drop(skip A + (1 - skip) D1^-1 s1)      H = Drop(ReLU(A1 X W_0))      Z = A1 H W_1
 *     loss_0 = CE(Z) + smooth sum_uv s1_uv (|x_u|^2 - <x_u, x_v>) / n^2
 *     then, while |s_t - s_t-1|^2 > eps_adj |s1|^2, but not more than max_iter times, with s2 of the hidden H:
 *         A2 = u (skip A + (1 - skip) D2^-1 s2) + (1 - u) A1      u = update sin(pi/2 epoch / epochs)
 *         H = Drop(ReLU(A2 X W_0))      Z = A2 H W_1      loss_t as above with s2
 *     loss = loss_0 + mean of loss_t
 *
 * In every `every`-th epoch half of s is P P^T with P = Q V, Q the hops of all nodes to the anchors over the graph that
 * was learned last. Anchors are the training nodes; in the study's code for Cora and CiteSeer (variant = bench) the
 * nodes that have the first numbers, as many. The raw s has dropout of its own in loss_0 and in the distance to it.
 *
 * The n x n matrices of the original are not stored where there are many nodes: relation.h makes their rows when
 * needed, with the same numbers, since a row of s depends on the factors alone and a dropped entry on its place alone.
 *
 * Sun, Li, Yuan, Fu, Peng, Ji, Li, Yu. Position-aware Structure Learning for Graph Topology-imbalance by Relieving
 * Under-reaching and Over-squashing. CIKM 2022. */
#include <math.h>

#include <crucible/imbalance.h>

#include "learned.h"
#include "places.h"

enum { BENCH, PAPER };
static const char *const variants[] = {"bench", "paper", NULL};
static const double half_pi = 1.57079632679489661923;

typedef struct settings {
    int64_t hidden, perspectives, position, max_iter, every, variant;
    double dropout, skip, update, smooth, eps_adj;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "of features, hidden values and learned edges",
              .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_INT(settings, perspectives, 4, 1, 64, "weighings of the features in a similarity"),
    CRU_INT(settings, position, 70, 1, 65536, "width of the code of places"),
    CRU_FLOAT(settings, skip, 0.8, 0, 1, "share of the given graph", .search = CRU_ONE_OF(0.7, 0.8, 0.9)),
    CRU_FLOAT(settings, update, 0.1, 0, 1, "share of later graphs in the end", .search = CRU_ONE_OF(0.1, 0.2, 0.3)),
    CRU_FLOAT(settings, smooth, 0.2, 0, CRU_NO_MAX, "weight of unlike features at edges"),
    CRU_INT(settings, max_iter, 10, 0, 1000, "most times that edges are learned again in an epoch"),
    CRU_FLOAT(settings, eps_adj, 4e-5, 0, CRU_NO_MAX, "relative change of the edges at which this ends"),
    CRU_INT(settings, every, 50, 1, 1e9, "epochs from one that uses places to the next"),
    CRU_CHOICE(settings, variant, PAPER, variants, "anchors: the first nodes, or the training nodes"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.0075, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_csr norm, features; /* A; X without dropout */
    cru_sparse *adj, *x;
    cru_fc conv[2];
    cru_tensor *learner[2], *places; /* perspectives x width; anchors x position */
    pair_ranks ranks;
    cru_ids anchors;
    cru_tensor *hops; /* n x anchors, of the last epoch that asked for them */
    float *counted;   /* where they are made */
    cru_rng masks;
} model;

static cru_csr sparse_features(cru_pool pool, const cru_features *x)
{
    return x->dense ? cru_csr_from_dense(pool, x->dense, x->rows, x->cols) : x->sparse;
}

static void find_places(cru_learner *l, model *m, const learned *over)
{
    enum { CUT = 5 };
    places_hops(over->s.n, m->anchors, CUT, learned_row, over, m->counted);
    cru_tensor_set(l->ctx, m->hops, m->counted);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr both = cru_learner_undirected(l);
    const cru_init xavier = {.kind = CRU_INIT_GLOROT_UNIFORM};
    int32_t *first = cru_ctx_alloc(l->ctx, task->split.train.count, sizeof *first);
    for (int32_t i = 0; i < task->split.train.count; i++) first[i] = i;
    m->anchors = s->variant == BENCH ? (cru_ids){first, task->split.train.count} : task->split.train;
    m->norm = cru_graph_gcn(pool, &both, CRU_LOOPS_ADD);
    m->adj = cru_sparse_create(l->ctx, &m->norm);
    m->features = sparse_features(pool, &task->x);
    m->x = cru_sparse_create(l->ctx, &m->features);
    const cru_csr twice = cru_graph_gcn(pool, &m->norm, CRU_LOOPS_ADD);
    m->ranks = pair_ranks_create(pool, &twice, cru_class_members(pool, task), task->classes, 0.15);
    m->conv[0] = cru_fc_create_with(l->net, "conv0", l->x.cols, s->hidden, xavier, NULL);
    m->conv[1] = cru_fc_create_with(l->net, "conv1", s->hidden, task->classes, xavier, NULL);
    m->learner[0] = cru_net_weight(l->net, "learner0", cru_2d(s->perspectives, l->x.cols), xavier);
    m->learner[1] = cru_net_weight(l->net, "learner1", cru_2d(s->perspectives, s->hidden), xavier);
    m->places = cru_net_weight(l->net, "places", cru_2d(m->anchors.count, s->position), xavier);
    m->hops = cru_tensor_create(l->ctx, cru_2d(task->nodes, m->anchors.count));
    m->counted = cru_ctx_alloc(l->ctx, cru_tensor_count(m->hops), sizeof *m->counted);
    m->masks = cru_ctx_stream(l->ctx, "learned-edges");
    find_places(l, m, &(learned){.s = {.n = task->nodes}, .given = m->adj});
}

static bool uses_places(const cru_learner *l)
{
    const settings *s = l->settings;
    return (l->epoch + 1) % s->every == 0;
}

/* ---- similarities ---------------------------------------------------------------------------------------- */

static relation start(cru_learner *l, model *m, cru_tape *t, bool drops)
{
    const settings *s = l->settings;
    return (relation){.n = l->task->nodes,
                      .gate = {pair_ranks_row, &m->ranks},
                      .mask = cru_rng_split(&m->masks, (uint64_t)l->epoch),
                      .drop = drops && cru_tape_mode(t) == CRU_TRAIN ? s->dropout : 0};
}

/* Half of it is of places where they are used. */
static relation finish(cru_learner *l, const model *m, cru_tape *t, relation s)
{
    if (uses_places(l)) {
        cru_tensor *code = cru_scale(t, cru_matmul(t, m->hops, m->places), sqrt(0.5));
        if (s.c) s.c = cru_scale(t, s.c, sqrt(0.5));
        s.f = s.f ? cru_concat_cols(t, (cru_tensor *[]){cru_scale(t, s.f, sqrt(0.5)), code}, 2) : code;
    }
    relation_read(t, &s);
    return s;
}

/* Of sparse features with the given values: c = w_p x / |w_p * x|, over the root of how many p there are. */
static relation feature_relation(cru_learner *l, model *m, cru_tape *t, cru_tensor *values)
{
    const settings *set = l->settings;
    relation s = start(l, m, t, true);
    const cru_index ids = cru_index_step(t, m->x->csr.ids, cru_csr_nnz(&m->x->csr));
    cru_tensor *w = cru_gather(t, cru_transposed(t, m->learner[0]), ids);
    cru_tensor *weighed = cru_mul(t, w, cru_as_matrix(t, values, -1, 1));
    cru_tensor *length = cru_sqrt(t, cru_affine(t, cru_edge_sum(t, m->x, cru_square(t, weighed)), 1, 1e-24));
    s.pattern = m->x;
    s.c = cru_scale(t, cru_div(t, weighed, cru_edge_dst(t, m->x, length)), 1 / sqrt((double)set->perspectives));
    return finish(l, m, t, s);
}

static relation hidden_relation(cru_learner *l, model *m, cru_tape *t, cru_tensor *h)
{
    const settings *set = l->settings;
    relation s = start(l, m, t, false);
    cru_tensor *part[64];
    for (int64_t p = 0; p < set->perspectives; p++)
        part[p] = cru_normalize_l2(t, cru_mul(t, h, cru_slice_rows(t, m->learner[1], p, p + 1)), 1e-12);
    s.f = cru_scale(t, cru_concat_cols(t, part, set->perspectives), 1 / sqrt((double)set->perspectives));
    return finish(l, m, t, s);
}

typedef struct output {
    cru_tensor *hidden, *logits;
} output;

static output convolve(cru_learner *l, const model *m, const learned *g, cru_tape *t, cru_tensor *xw)
{
    const settings *s = l->settings;
    cru_tensor *h = cru_dropout(t, cru_relu(t, learned_spread(t, g, xw)), s->dropout);
    return (output){h, learned_spread(t, g, cru_fc_apply(t, &m->conv[1], cru_represent(t, h)))};
}

static cru_tensor *graph_loss(cru_learner *l, const model *m, cru_tape *t, const relation *s, cru_tensor *z)
{
    const settings *set = l->settings;
    const double pairs = (double)s->n * (double)s->n;
    cru_tensor *loss = cru_learner_loss(l, t, z);
    return set->smooth > 0 ? cru_plus(t, loss, set->smooth / pairs, relation_roughness(t, s, m->x)) : loss;
}

/* One whole pass; *loss, unless `loss` is NULL, is the sum of its losses. */
static cru_tensor *pass(cru_learner *l, model *m, cru_tape *t, cru_tensor **loss)
{
    const settings *s = l->settings;
    cru_input x = {.rows = m->features.rows, .cols = m->features.cols, .sparse = m->x};
    x = cru_input_dropout(t, &x, s->dropout);
    const relation s1 = feature_relation(l, m, t, x.values ? x.values : cru_sparse_values(m->x));
    const learned first = learned_dropped(t, &s1, &m->norm, s->skip);
    learned last = first;
    cru_tensor *xw = cru_fc_input(t, &m->conv[0], &x), *later = NULL;
    output out = convolve(l, m, &first, t, xw);
    if (loss) *loss = graph_loss(l, m, t, &s1, out.logits);
    const relation none = {.n = s1.n};
    const double size = fmax(relation_distance(&none, &s1, true), 1e-12);
    const double u =
        s->update * sin(half_pi * (double)(l->epoch + 1) / (double)(s->train.epochs ? s->train.epochs : 1));
    int64_t i = 0;
    for (double change = INFINITY; i < s->max_iter && change > s->eps_adj; i++) {
        const relation s2 = hidden_relation(l, m, t, out.hidden);
        change = relation_distance(&s2, &last.s, i == 0) / size;
        last = (learned){s2, m->adj, s->skip, u, &first};
        out = convolve(l, m, &last, t, xw);
        if (loss) later = cru_plus(t, later, 1, graph_loss(l, m, t, &s2, out.logits));
    }
    if (loss && later) *loss = cru_plus(t, *loss, 1 / (double)i, later);
    if (loss && (l->epoch + 2) % s->every == 0) find_places(l, m, &last);
    return out.logits;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    return pass(l, self, t, NULL);
}

static double epoch(cru_learner *l, void *self)
{
    cru_tensor *loss = NULL;
    cru_tape_begin(l->tape, CRU_TRAIN);
    pass(l, self, l->tape, &loss);
    return cru_learner_step(l, l->optim, loss);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .state = cru_no_state),
    .name = "pastel",
    .version = "1.0",
    .summary = "edges learned from features, places and the conflict of classes",
    .citation =
        "Sun, Li, Yuan, Fu, Peng, Ji, Li, Yu. Position-aware Structure Learning for Graph Topology-imbalance by "
        "Relieving Under-reaching and Over-squashing. CIKM 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
