// SPDX-License-Identifier: Apache-2.0
/* datadec: a contrastive network learns from the graphs that it finds hard; support vector machines classify.
 *
 *     h_l = BatchNorm(ReLU(conv_l(h_l-1)))      g = [sum of h_1 over the graph; ...; sum of h_L]      p = MLP(g)
 *     conv: gin ((1 + eps) x + A x) W + b, gcn S x W + b, graphsage (mean of neighbours) W + b + x W'
 *     loss = InfoNCE between p of a graph and p of a changed copy, both directions (data-diet.h)
 *
 * The copy of a batch has lost one of: what 1000 random walks of length 10 do not meet, a tenth of the nodes, of the
 * features or of the edges. After an epoch the `keep_rate` hardest graphs stay, `explore_rate` of all being drawn anew
 * from those that were put aside. A share `fit_share` of the training graphs trains no network: linear machines learn
 * classes from their g (linear-svm.h). The study's tables come from machines that learned from test labels, which no
 * method sees here.
 *
 * variant = bench: as in the study's code, the list of graphs changes once, after epoch 5, and the pruned network,
 * which it computes, has no effect. paper: the list changes after every epoch, and copies go through the network whose
 * smallest weights W are 0: a share that rises from `prune_low` to `prune_high`, of which `prune_random` at random.
 *
 * Zhang, Huang, Tian, Wen, Ouyang, Li, Ye, Zhang. When Sparsity Meets Contrastive Models: Less Graph Data Can Bring
 * Better Class-Balanced Representations. ICML 2023. */
#include <math.h>
#include <stdio.h>

#include "data-diet.h"
#include "graph-views.h"
#include "linear-svm.h"

enum { GIN, GCN, SAGE };
static const char *const backbones[] = {"gin", "gcn", "graphsage", NULL};
enum { CHANGE_AFTER = 5 };

typedef struct settings {
    int64_t variant, backbone, layers, hidden;
    double temperature, change, keep_rate, explore_rate, fit_share, prune_low, prune_high, prune_random;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH,
                "bench: one change of graphs, nothing pruned; paper: both in every epoch"),
    CRU_CHOICE(settings, backbone, GIN, backbones, "the network that represents nodes"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions"),
    CRU_INT(settings, hidden, 128, 1, 65536, "width of each", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, temperature, 0.2, 1e-3, 1e3, "of the contrast"),
    CRU_FLOAT(settings, change, 0.1, 0, 1, "share of nodes, features or edges that a copy loses"),
    CRU_FLOAT(settings, keep_rate, 0.5, 0, 1, "share of the graphs to learn from"),
    CRU_FLOAT(settings, explore_rate, 0.1, 0, 1, "part of it that is drawn from the others"),
    CRU_FLOAT(settings, fit_share, 0.3, 0, 1, "share of the training graphs for the classifier alone"),
    CRU_FLOAT(settings, prune_low, 0.25, 0, 1, "paper: share of pruned weights at first"),
    CRU_FLOAT(settings, prune_high, 0.75, 0, 1, "paper: and at last"),
    CRU_FLOAT(settings, prune_random, 0.25, 0, 1, "paper: part of it that is pruned at random"),
    CRU_ADJACENCY_SETTINGS(settings, graphs.adjacency, CRU_LOOPS_KEEP, CRU_NORM_NONE),
    CRU_INT_KEY(settings, "batch", graphs.batch, 128, 1, 1e9, "graphs in a step"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.01, 0),
    CRU_END,
};

typedef struct layer {
    cru_fc fc;
    cru_tensor *own, *eps, *mask; /* W' of graphsage, eps of gin, 0/1 of W */
    cru_batch_norm_layer norm;
} layer;

typedef struct model {
    cru_rng rng, folds;
    layer layer[CRU_MAX_LAYERS];
    cru_mlp project;
    cru_ids fit; /* graphs that the machines learn from */
    diet diet;
    float *score; /* of every graph */
} model;

static void build_layer(cru_learner *l, layer *y, int64_t number, int64_t in)
{
    const settings *s = l->settings;
    char name[32];
    snprintf(name, sizeof name, "conv%d", (int)number);
    y->fc = cru_fc_create(l->net, name, in, s->hidden);
    y->mask = cru_tensor_create_filled(l->ctx, cru_2d(in, s->hidden), 1);
    snprintf(name, sizeof name, "conv%d.eps", (int)number);
    if (s->backbone == GIN) y->eps = cru_net_weight(l->net, name, cru_1d(1), (cru_init){.kind = CRU_INIT_ZEROS});
    snprintf(name, sizeof name, "conv%d.own", (int)number);
    if (s->backbone == SAGE)
        y->own = cru_net_weight(l->net, name, cru_2d(in, s->hidden), (cru_init){.kind = CRU_INIT_FAN_IN});
    snprintf(name, sizeof name, "norm%d", (int)number);
    y->norm = cru_batch_norm_create(l->net, name, s->hidden);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    const int64_t wide = s->layers * s->hidden;
    for (int64_t i = 0; i < s->layers; i++) build_layer(l, &m->layer[i], i, i ? s->hidden : l->x.cols);
    m->project =
        cru_mlp_create(l->net, "project", &(cru_mlp_shape){.in = wide, .hidden = wide, .out = wide, .layers = 2});
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->folds = cru_ctx_stream(l->ctx, "folds");
    int32_t *order = cru_ctx_alloc(l->ctx, train.count, sizeof *order);
    cru_rng_permutation(&m->rng, order, train.count);
    for (int64_t i = 0; i < train.count; i++) order[i] = train.ids[order[i]];
    m->fit = (cru_ids){order, (int64_t)floor(s->fit_share * (double)train.count)};
    m->diet = diet_create(cru_ctx_pool(l->ctx), (cru_ids){order + m->fit.count, train.count - m->fit.count},
                          s->keep_rate, s->explore_rate);
    m->score = cru_ctx_alloc(l->ctx, l->task->items, sizeof *m->score);
}

/* ---- the network ------------------------------------------------------------------------------------------ */

static cru_tensor *convolve(cru_tape *t, const layer *y, cru_sparse *adj, const cru_input *x, bool pruned)
{
    cru_tensor *w = pruned ? cru_mul(t, y->fc.w, y->mask) : y->fc.w;
    cru_tensor *z = cru_input_linear(t, x, w, NULL), *heard = cru_add(t, cru_spmm(t, adj, z), y->fc.b);
    if (y->eps) return cru_add(t, heard, cru_add(t, z, cru_mul(t, z, y->eps)));
    return y->own ? cru_add(t, heard, cru_input_linear(t, x, y->own, NULL)) : heard;
}

/* g: graphs x (layers hidden), of graphs whose edges and features may have changed */
static cru_tensor *encode(cru_learner *l, const model *m, const cru_graphs *g, const cru_csr *edges, cru_input x,
                          bool pruned)
{
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tensor *sums[CRU_MAX_LAYERS];
    cru_csr a = *edges;
    if (s->backbone == GCN) a = cru_graph_gcn(cru_tape_pool(t), edges, CRU_LOOPS_FILL);
    if (s->backbone == SAGE) a = cru_graph_normalise(cru_tape_pool(t), edges, CRU_NORM_ROW);
    cru_sparse *adj = cru_sparse_step(t, &a);
    for (int64_t i = 0; i < s->layers; i++) {
        cru_tensor *h = cru_relu(t, convolve(t, &m->layer[i], adj, &x, pruned));
        h = cru_batch_norm_apply(t, &m->layer[i].norm, h);
        sums[i] = cru_segment(t, h, g->offsets, g->count, CRU_REDUCE_SUM);
        x = cru_input_of(h);
    }
    return cru_concat_cols(t, sums, s->layers);
}

/* ---- training --------------------------------------------------------------------------------------------- */

/* Chooses anew which weights are pruned. */
static void prune(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const double share = prune_share(l->epoch, s->train.epochs, s->prune_low, s->prune_high) - s->prune_random;
    int64_t count = 0, at = 0;
    for (int64_t i = 0; i < s->layers; i++) count += cru_tensor_count(m->layer[i].fc.w);
    float *all = cru_tape_alloc(l->tape, 2 * count, sizeof *all);
    for (int64_t i = 0; i < s->layers; at += cru_tensor_count(m->layer[i++].fc.w))
        cru_tensor_download(l->tape, m->layer[i].fc.w, all + at);
    const double threshold = prune_threshold(all, count, fmax(share, 0), all + count);
    const double left = (double)count - ceil(fmax(share, 0) * (double)count);
    const double chance = ceil(s->prune_random * (double)count) / fmax(left, 1);
    for (int64_t k = 0; k < count; k++)
        all[k] = fabs((double)all[k]) >= threshold && cru_rng_uniform(&m->rng) >= chance;
    for (int64_t i = at = 0; i < s->layers; at += cru_tensor_count(m->layer[i++].fc.w))
        cru_tensor_set(l->ctx, m->layer[i].mask, all + at);
}

static double step(cru_learner *l, model *m, cru_ids items)
{
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    const cru_graphs g = cru_graphs_select(t, &l->graphs, items);
    const graph_view v = graph_view_draw(t, &g.host, &g.x, s->change, &m->rng);
    cru_tensor *a = cru_mlp_apply(t, &m->project, encode(l, m, &g, &g.host, g.x, false));
    cru_tensor *b = cru_mlp_apply(t, &m->project, encode(l, m, &g, &v.edges, v.x, s->variant == CRU_PAPER));
    const float *score = error_scores(t, a, b);
    for (int64_t i = 0; i < items.count; i++) m->score[items.ids[i]] = score[i];
    return cru_learner_step(l, l->optim, contrast_loss(t, a, b, s->temperature));
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    double sum = 0;
    int64_t steps = 0;
    cru_tape_begin(l->tape, CRU_TRAIN);
    if (s->variant == CRU_PAPER) prune(l, m);
    cru_rng_shuffle(&m->rng, m->diet.kept, m->diet.kept_count);
    for (int64_t at = 0; at < m->diet.kept_count; at += s->graphs.batch, steps++) {
        const int64_t left = m->diet.kept_count - at;
        sum += step(l, m, (cru_ids){m->diet.kept + at, left < s->graphs.batch ? left : s->graphs.batch});
    }
    if (s->variant == CRU_PAPER || l->epoch == CHANGE_AFTER) diet_choose(&m->diet, m->score, &m->rng);
    return sum / (double)steps;
}

/* ---- prediction ------------------------------------------------------------------------------------------- */

static cru_tensor *embed(cru_learner *l, void *self, cru_tape *t)
{
    (void)t;
    return encode(l, self, &l->graphs, &l->graphs.host, l->graphs.x, false);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    const cru_task *task = l->task;
    cru_tensor *g = embed(l, self, t);
    float *scores = cru_tape_alloc(t, task->items * task->classes, sizeof *scores);
    cru_rng folds = m->folds;
    svm_scores(cru_tape_pool(t),
               &(svm_data){cru_tensor_host(t, g), task->items, cru_tensor_cols(g), m->fit, task->labels, task->classes},
               &folds, scores);
    return cru_tensor_upload(t, cru_2d(task->items, task->classes), scores);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .embed = embed, .graphs = CRU_AT(settings, graphs), .state = cru_no_state),
    .name = "datadec",
    .version = "1.0",
    .summary = "contrastive learning from the hardest graphs, and support vector machines",
    .citation =
        "Zhang, Huang, Tian, Wen, Ouyang, Li, Ye, Zhang. When Sparsity Meets Contrastive Models: Less Graph Data "
        "Can Bring Better Class-Balanced Representations. ICML 2023.",
    .problems = CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
