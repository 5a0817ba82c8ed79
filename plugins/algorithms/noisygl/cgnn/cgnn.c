// SPDX-License-Identifier: Apache-2.0
/* cgnn: a view with fewer edges and one with fewer features must look alike.
 *
 * The network is three convolutions with ReLU after each, also the last, and dropout after the first two. In every
 * epoch o_E is its result with every undirected edge kept with probability 1/2, o_N with every feature of every node
 * kept with probability 1/2 (and not scaled up).
 *
 *     loss = sum over batches of shuffled nodes of all_pairs_contrast(o_E, o_N) + mean CE(o_E)
 *
 * The prediction uses all edges and features. Variant paper changes labels from epoch `warmup` on: a training node
 * whose labelled neighbours mostly have another label takes it (the lowest of equals) when the share of neighbours with
 * cos(o_i, o_j) > threshold is above the threshold. The benchmark computes this for the other nodes only, whose labels
 * it then does not use: nothing changes. The article was not at hand; only labels of the training part are counted.
 *
 * Yuan, Luo, Qin, Zhao, Ju, Zhang. Learning on Graphs under Label Noise. ICASSP 2023. */
#include "label-cleaning.h"
#include "view-contrast.h"

typedef struct settings {
    int64_t variant, warmup, batch, hidden;
    double temperature, threshold, edge_drop, feature_drop, dropout;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: labels never change"),
    CRU_FLOAT(settings, temperature, 0.5, 0.01, 100, "of the contrast", .search = CRU_ONE_OF(0.6, 0.7, 0.8, 0.9, 0.95)),
    CRU_FLOAT(settings, threshold, 0.8, 0, 1, "paper: of similar neighbours",
              .search = CRU_ONE_OF(0.6, 0.7, 0.8, 0.9, 0.95)),
    CRU_INT(settings, warmup, 180, 0, 1e9, "paper: the epoch from which labels change"),
    CRU_FLOAT(settings, edge_drop, 0.5, 0, 0.99, "share of edges that a view leaves out"),
    CRU_FLOAT(settings, feature_drop, 0.5, 0, 0.99, "share of features that a view zeroes"),
    CRU_INT(settings, batch, 1000, 1, 1e9, "most nodes that are contrasted at once"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "between convolutions", .search = CRU_UNIFORM(0.1, 0.9)),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_sparse *adj;
    cru_gcn_stack convs;
    int32_t *order;  /* all nodes, shuffled anew in every epoch */
    int32_t *labels; /* of all nodes; CRU_UNLABELLED but in the training part */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_csr adj = cru_graph_gcn(cru_ctx_pool(l->ctx), &task->graph, CRU_LOOPS_ADD);
    const cru_gcn_shape shape = {.in = l->x.cols,
                                 .hidden = s->hidden,
                                 .out = task->classes,
                                 .layers = 3,
                                 .draw = CRU_DRAW_GLOROT,
                                 .dropout = s->dropout};
    m->rng = cru_ctx_stream(l->ctx, "views");
    m->adj = cru_sparse_create(l->ctx, &adj);
    m->convs = cru_gcn_stack_create(l->net, "conv", &shape);
    m->order = cru_ctx_alloc(l->ctx, task->nodes, sizeof *m->order);
    m->labels = cru_ctx_alloc(l->ctx, task->nodes, sizeof *m->labels);
    for (int32_t v = 0; v < task->nodes; v++) m->order[v] = v, m->labels[v] = CRU_UNLABELLED;
    for (int64_t i = 0; i < task->split.train.count; i++)
        m->labels[task->split.train.ids[i]] = task->labels[task->split.train.ids[i]];
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return cru_relu(t, cru_gcn_stack_input(t, &m->convs, m->adj, &l->x));
}

static cru_tensor *with_fewer_edges(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const cru_csr kept = cru_sample_edges(cru_tape_pool(t), &l->task->graph, 1 - s->edge_drop, true, &m->rng);
    const cru_csr adj = cru_graph_gcn(cru_tape_pool(t), &kept, CRU_LOOPS_FILL);
    return cru_relu(t, cru_gcn_stack_input(t, &m->convs, cru_sparse_step(t, &adj), &l->x));
}

/* cru_input_dropout divides what it keeps by 1 - feature_drop: the first matrix takes that back. */
static cru_tensor *with_fewer_features(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    cru_gcn_stack convs = m->convs;
    const cru_input x = cru_input_dropout(t, &l->x, s->feature_drop);
    convs.layer[0].w = cru_scale(t, convs.layer[0].w, 1 - s->feature_drop);
    return cru_relu(t, cru_gcn_stack_input(t, &convs, m->adj, &x));
}

static cru_tensor *contrast(cru_learner *l, model *m, cru_tape *t, cru_tensor *const view[2])
{
    const settings *s = l->settings;
    const int64_t n = l->task->nodes;
    cru_tensor *sum = NULL;
    cru_rng_shuffle(&m->rng, m->order, n);
    for (int64_t from = 0; from < n; from += s->batch) {
        const cru_index rows = cru_index_step(t, m->order + from, n - from < s->batch ? n - from : s->batch);
        cru_tensor *a = cru_gather(t, view[0], rows), *b = cru_gather(t, view[1], rows);
        sum = cru_plus(t, sum, 1, all_pairs_contrast(t, a, b, s->temperature));
    }
    return sum;
}

static void change_labels(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const cru_ids train = l->task->split.train;
    const cru_csr *g = &l->task->graph;
    int32_t *changed = cru_tape_alloc(t, train.count, sizeof *changed);
    int64_t *count = cru_tape_alloc(t, l->task->classes, sizeof *count);
    cru_tensor *o = cru_normalize_l2(t, logits(l, m, t), 1e-8);
    const float *cosine = cru_tensor_host(t, cru_sddmm(t, cru_sparse_step(t, g), o, o, 1));
    const label_cleaning rule = {g, cosine, m->labels, l->task->classes, s->threshold};
    for (int64_t i = 0; i < train.count; i++) changed[i] = cleaned_label(&rule, train.ids[i], count);
    for (int64_t i = 0; i < train.count; i++) m->labels[train.ids[i]] = changed[i];
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    const cru_ids train = l->task->split.train;
    if (s->variant == CRU_PAPER && l->epoch >= s->warmup) {
        cru_tape_begin(t, CRU_EVAL);
        change_labels(l, m, t);
    }
    cru_tape_begin(t, CRU_TRAIN);
    cru_tensor *fewer_edges = with_fewer_edges(l, m, t), *fewer_features = with_fewer_features(l, m, t);
    cru_tensor *alike = contrast(l, m, t, (cru_tensor *[]){fewer_edges, fewer_features});
    int32_t *labels = cru_tape_alloc(t, train.count, sizeof *labels);
    for (int64_t i = 0; i < train.count; i++) labels[i] = m->labels[train.ids[i]];
    const cru_targets targets = {.rows = &l->train_rows, .labels = cru_index_step(t, labels, train.count)};
    return cru_learner_step(l, l->optim, cru_add(t, alike, cru_cross_entropy(t, fewer_edges, &targets)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "cgnn",
    .version = "1.0",
    .summary = "contrast of a view with fewer edges and one with fewer features",
    .citation = "Yuan, Luo, Qin, Zhao, Ju, Zhang. Learning on Graphs under Label Noise. ICASSP 2023.",
    .categories = "GLN, contrast",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
