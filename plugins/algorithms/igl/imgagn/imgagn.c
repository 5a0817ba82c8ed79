// SPDX-License-Identifier: Apache-2.0
/* imgagn: a generator mixes new nodes of the smallest class, and a GCN tells classes and what is generated.
 *
 *     h = Drop(ReLU(S X W + b))      class scores S h W_c + b_c      real or generated: S h W_f + b_f
 *     generator: (tanh(MLP(noise)) + 1) / 2, a row per new node over the minority; x, edges: generated.h
 *     new nodes: floor(ratio (|L| - n_min) / (classes - 1))
 *
 * Every `inner` epochs the next tenth of minority and other training nodes rests; the generator makes a step that
 * brings new features near those of the minority (the mean distance; its other losses have no gradient, because the
 * reference detaches the features) and gives new nodes for the GCN's next `inner` steps on
 *     NLL(classes; training and new nodes) + NLL(real or generated; the same nodes)
 * over the rows of A + new edges + I, divided by their sums. A is made symmetric. Prediction: D^-1/2 (A + I) D^-1/2
 * without new nodes, by the weights of the epoch with the highest (macro recall + accuracy) / 2 of those who rest, the
 * first of equals; whoever judges an epoch sees these, too.
 *
 * The original knows two classes; that the smallest stands against all others is the study's reading.
 *
 * Qu, Zhu, Zheng, Shi, Yin. ImGAGN: Imbalanced Network Embedding via Generative Adversarial Graph Networks. KDD
 * 2021. */
#include <math.h>

#include <crucible/imbalance.h>

#include "folds.h"
#include "generated.h"
#include "subset.h"

enum { NOISE = 100, GENERATOR = 200 };

typedef struct settings {
    int64_t hidden, inner;
    double dropout, ratio_generated;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 128, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, ratio_generated, 1, 0, 1000, "new nodes, by the mean size of other classes",
              .search = CRU_ONE_OF(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_INT(settings, inner, 100, 1, 1e9, "steps of the GCN for each of the generator",
            .search = CRU_ONE_OF(20, 30, 40, 50, 60)),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_csr graph;   /* symmetric, without loops */
    cru_sparse *adj; /* to predict with */
    cru_gcn first, classes, fake;
    cru_gcn kept_first, kept_classes; /* buffers: the weights that predict, */
    cru_tensor *kept;                 /* and 1 + what they reached; 0: none are kept */
    cru_mlp generator;
    cru_optim *generator_optim;
    cru_ids minority, others; /* training nodes */
    int32_t smallest;
    int64_t count;            /* new nodes, */
    cru_tensor *made;         /* their features, */
    cru_sparse *joint;        /* and the graph with them, in this fold */
    cru_ids rest_of_minority; /* who trains in this fold */
    cru_ids rest_of_others;
    subset resting;
} model;

static void find_minority(cru_learner *l, model *m)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train, *members = cru_class_members(cru_ctx_pool(l->ctx), task);
    int32_t *others = cru_ctx_alloc(l->ctx, train.count, sizeof *others);
    m->smallest = -1;
    for (int32_t c = 0; c < task->classes; c++)
        if (members[c].count && (m->smallest < 0 || members[c].count < members[m->smallest].count)) m->smallest = c;
    if (m->smallest < 0) return;
    m->minority = members[m->smallest];
    for (int64_t i = 0; i < train.count; i++)
        if (task->labels[train.ids[i]] != m->smallest) others[m->others.count++] = train.ids[i];
    m->others.ids = others;
    if (task->classes > 1)
        m->count = (int64_t)floor(((const settings *)l->settings)->ratio_generated * (double)m->others.count /
                                  (double)(task->classes - 1));
}

static cru_gcn buffers_like(cru_net *net, const char *w, const char *b, const cru_gcn *layer)
{
    return (cru_gcn){.w = cru_net_buffer(net, w, cru_2d(cru_tensor_rows(layer->w), cru_tensor_cols(layer->w)), 0),
                     .b = cru_net_buffer(net, b, cru_1d(cru_tensor_cols(layer->w)), 0)};
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr both = cru_learner_undirected(l), adj = cru_graph_gcn(pool, &both, CRU_LOOPS_ADD);
    cru_net *generator = cru_learner_net(l, "generator");
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->graph = cru_graph_loops(pool, &both, CRU_LOOPS_REMOVE);
    m->adj = cru_sparse_create(l->ctx, &adj);
    m->first = cru_gcn_create(l->net, "conv0", l->x.cols, s->hidden);
    m->classes = cru_gcn_create(l->net, "classes", s->hidden, l->task->classes);
    m->fake = cru_gcn_create(l->net, "fake", s->hidden, 2);
    m->kept_first = buffers_like(l->net, "kept.conv0.weight", "kept.conv0.bias", &m->first);
    m->kept_classes = buffers_like(l->net, "kept.classes.weight", "kept.classes.bias", &m->classes);
    m->kept = cru_net_buffer(l->net, "kept", cru_1d(1), 0);
    find_minority(l, m);
    m->generator = cru_mlp_create(generator, "generator",
                                  &(cru_mlp_shape){.in = NOISE,
                                                   .hidden = GENERATOR,
                                                   .out = m->minority.count ? m->minority.count : 1,
                                                   .layers = 3,
                                                   .draw = CRU_DRAW_GLOROT});
    m->generator_optim = cru_learner_optim(l, &generator, 1);
    l->optim = cru_learner_optim(l, &l->net, 1);
    m->made = cru_tensor_create(l->ctx, cru_2d(m->count, l->x.cols));
}

static cru_sparse *join(cru_learner *l, const model *m, const float *weights)
{
    const int64_t size = m->rest_of_minority.count, n = l->task->nodes;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    int32_t *from = cru_ctx_alloc(l->ctx, 2 * m->count * size, sizeof *from);
    int32_t *to = cru_ctx_alloc(l->ctx, 2 * m->count * size, sizeof *to);
    const int64_t found = generated_edges(weights, m->count, size, from, to);
    for (int64_t e = 0; e < found; e++) {
        to[found + e] = from[e] = (int32_t)(n + from[e]);
        from[found + e] = to[e] = m->rest_of_minority.ids[to[e]];
    }
    const cru_coo edges = {.rows = n + m->count, .cols = n + m->count, .count = 2 * found, .row = from, .col = to};
    const cru_csr joint = cru_graph_append(pool, &m->graph, &edges, CRU_DUP_MAX);
    const cru_csr looped = cru_graph_loops(pool, &joint, CRU_LOOPS_SET);
    const cru_csr mean = cru_graph_normalise(pool, &looped, CRU_NORM_ROW);
    return cru_sparse_create(l->ctx, &mean);
}

/* The columns of the generator's output that belong to minority nodes of the fold. */
static cru_tensor *chosen_columns(cru_tape *t, const model *m, cru_tensor *out)
{
    int32_t *place = cru_tape_alloc(t, m->rest_of_minority.count, sizeof *place);
    for (int64_t i = 0, k = 0; i < m->minority.count && k < m->rest_of_minority.count; i++)
        if (m->minority.ids[i] == m->rest_of_minority.ids[k]) place[k++] = (int32_t)i;
    const cru_index columns = cru_index_step(t, place, m->rest_of_minority.count);
    return cru_transposed(t, cru_gather(t, cru_transposed(t, out), columns));
}

static void next_fold(cru_learner *l, model *m, int64_t fold)
{
    cru_tape *t = l->tape;
    m->rest_of_minority = folds_without(l->ctx, m->minority, fold);
    m->rest_of_others = folds_without(l->ctx, m->others, fold);
    m->resting = folds_resting(l, m->others, m->minority, fold);
    cru_tape_begin(t, CRU_TRAIN);
    float *noise = cru_tape_alloc(t, m->count * NOISE, sizeof *noise);
    cru_rng_fill_normal(&m->rng, noise, m->count * NOISE, 0, 1);
    cru_tensor *raw = cru_mlp_apply(t, &m->generator, cru_tensor_upload(t, cru_2d(m->count, NOISE), noise));
    cru_tensor *out = cru_affine(t, cru_tanh(t, raw), 0.5, 0.5);
    const cru_index rows = cru_index_step(t, m->rest_of_minority.ids, m->rest_of_minority.count);
    const cru_input chosen = cru_input_rows(t, &l->x, rows);
    cru_tensor *real = cru_input_dense(t, &chosen);
    const generated g = generated_mix(t, chosen_columns(t, m, out), real);
    cru_tensor_keep(t, m->made, g.x);
    m->joint = join(l, m, cru_tensor_host(t, g.weights));
    cru_learner_step(l, m->generator_optim, mean_distance(t, real, g.x));
}

/* Hidden values of all nodes and, with `made`, of the new ones. */
static cru_tensor *encode(cru_learner *l, const cru_gcn *first, cru_tape *t, cru_sparse *adj, cru_tensor *made)
{
    const settings *s = l->settings;
    cru_tensor *x = cru_input_linear(t, &l->x, first->w, NULL);
    if (made) x = cru_concat_rows(t, (cru_tensor *[]){x, cru_matmul(t, made, first->w)}, 2);
    return cru_dropout(t, cru_relu(t, cru_add(t, cru_spmm(t, adj, x), first->b)), s->dropout);
}

static cru_tensor *predict(cru_learner *l, const model *m, cru_tape *t, const cru_gcn *first, const cru_gcn *classes)
{
    return cru_gcn_apply(t, classes, m->adj, cru_represent(t, encode(l, first, t, m->adj, NULL)));
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const bool kept = *cru_tensor_host(t, m->kept) > 0;
    return kept ? predict(l, m, t, &m->kept_first, &m->kept_classes) : predict(l, m, t, &m->first, &m->classes);
}

static void keep_best(cru_learner *l, model *m)
{
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_EVAL);
    const double reached = 1 + subset_balance(t, predict(l, m, t, &m->first, &m->classes), &m->resting);
    if (!m->resting.count || (float)reached <= *cru_tensor_host(t, m->kept)) return;
    cru_tensor_keep(t, m->kept, cru_tensor_upload(t, cru_1d(1), &(float){(float)reached}));
    cru_tensor_keep(t, m->kept_first.w, m->first.w);
    cru_tensor_keep(t, m->kept_first.b, m->first.b);
    cru_tensor_keep(t, m->kept_classes.w, m->classes.w);
    cru_tensor_keep(t, m->kept_classes.b, m->classes.b);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    if (!m->minority.count || !m->count) return cru_learner_epoch(l);
    if (l->epoch % s->inner == 0) next_fold(l, m, l->epoch / s->inner % FOLDS);
    cru_tape_begin(t, CRU_TRAIN);
    const int64_t real = m->rest_of_minority.count + m->rest_of_others.count, all = real + m->count;
    int32_t *rows = cru_tape_alloc(t, all, sizeof *rows), *classes = cru_tape_alloc(t, all, sizeof *classes);
    int32_t *fake = cru_tape_alloc(t, all, sizeof *fake);
    for (int64_t i = 0; i < all; i++) {
        const int64_t other = i - m->rest_of_minority.count;
        fake[i] = i >= real;
        rows[i] = fake[i]     ? (int32_t)(l->task->nodes + i - real)
                  : other < 0 ? m->rest_of_minority.ids[i]
                              : m->rest_of_others.ids[other];
        classes[i] = fake[i] ? m->smallest : l->task->labels[rows[i]];
    }
    const cru_index chosen = cru_index_step(t, rows, all);
    cru_tensor *h = encode(l, &m->first, t, m->joint, m->made), *z = cru_gcn_apply(t, &m->classes, m->joint, h);
    cru_tensor *verdict = cru_gcn_apply(t, &m->fake, m->joint, h);
    cru_tensor *loss =
        cru_cross_entropy(t, z, &(cru_targets){.rows = &chosen, .labels = cru_index_step(t, classes, all)});
    cru_tensor *told =
        cru_cross_entropy(t, verdict, &(cru_targets){.rows = &chosen, .labels = cru_index_step(t, fake, all)});
    const double reached = cru_learner_step(l, l->optim, cru_add(t, loss, told));
    keep_best(l, m);
    return reached;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "imgagn",
    .version = "2.0",
    .summary = "a generator of nodes for the smallest class",
    .citation = "Qu, Zhu, Zheng, Shi, Yin. ImGAGN: Imbalanced Network Embedding via Generative Adversarial Graph "
                "Networks. KDD 2021.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
