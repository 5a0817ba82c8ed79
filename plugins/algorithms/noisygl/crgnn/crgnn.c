// SPDX-License-Identifier: Apache-2.0
/* crgnn: two damaged views of the graph must look alike, and labels count only where the views agree.
 *
 * A view keeps every directed edge with probability 1 - edge_drop and zeroes every feature, for all nodes at once, with
 * probability column_drop. With h the encoder's result, p = head(h) and z = h W + b in views 1 and 2:
 *
 *     loss = alpha contrast(p1, p2) + mean of CE(z1_n, y_n) over training items n with argmax z1_n = argmax z2_n
 *
 * The prediction is z of the whole graph. The contrast is cru_view_contrast; without `stable` it is computed as the
 * benchmark does, in float exponentials whose overflow ends the training. The benchmark restores only the encoder of
 * the best epoch and predicts with the class head of the last. Variant paper restores both and adds
 *
 *     beta consistency(p, log softmax z)      (noisy-labels.h) with threshold p and a temperature of its own,
 *
 * which the benchmark leaves out. Its form is that of the lines which the benchmark's code has switched off, over all
 * pairs of nodes; the article was not at hand. The article's contrast of neighbours is not computed.
 *
 * Li, Li, Li, Qian, Wang. Contrastive Learning of Graphs under Label Noise. Neural Networks 2024. */
#include <crucible/draft/ops-loss.h>

#include "noisy-labels.h"

typedef struct settings {
    int64_t variant, hidden;
    double alpha, beta, tau, p, temperature, edge_drop, column_drop, dropout;
    bool stable;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: predict with the last class head"),
    CRU_FLOAT(settings, alpha, 0.2, 0, CRU_NO_MAX, "weight of the contrast",
              .search = CRU_ONE_OF(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
    CRU_FLOAT(settings, beta, 0.2, 0, CRU_NO_MAX, "paper: weight of the consistency across spaces"),
    CRU_FLOAT(settings, tau, 0.5, 0.01, 100, "temperature of the contrast"),
    CRU_FLOAT(settings, p, 0.8, 0, CRU_NO_MAX, "paper: similarities of classes below count as 0"),
    CRU_FLOAT(settings, temperature, 2, 0.01, 100, "paper: of the similarities in both spaces"),
    CRU_FLOAT(settings, edge_drop, 0.3, 0, 0.99, "share of edges that a view leaves out"),
    CRU_FLOAT(settings, column_drop, 0.3, 0, 0.99, "share of features that a view zeroes"),
    CRU_BOOL(settings, stable, true, "no overflow in the contrast"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width", .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "between the encoder's convolutions"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_sparse *adj;
    cru_net *heads; /* the learner's in variant paper: only those are restored */
    cru_gcn_stack encoder;
    cru_mlp projection;
    cru_fc classes;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const int64_t h = s->hidden;
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->adj = cru_adjacency_create(l->ctx, &task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_SYM});
    m->heads = s->variant == CRU_PAPER ? cru_learner_net(l, "heads") : cru_net_create(l->ctx, "heads");
    m->encoder = cru_gcn_stack_create(
        l->net, "conv",
        &(cru_gcn_shape){
            .in = task->x.cols, .hidden = h, .out = h, .layers = 2, .draw = CRU_DRAW_GLOROT, .dropout = s->dropout});
    m->projection =
        cru_mlp_create(m->heads, "projection", &(cru_mlp_shape){.in = h, .hidden = h, .out = h, .layers = 2});
    m->classes = cru_fc_create(m->heads, "classes", h, task->classes);
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    l->optim = cru_learner_optim(l, (cru_net *[]){l->net, m->heads}, 2);
}

/* n x hidden. A feature that is zero for all nodes is a row of zeros in the first matrix. */
static cru_tensor *encode_view(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    const int64_t cols = l->x.cols;
    float *kept = cru_tape_alloc(t, cols, sizeof *kept);
    for (int64_t k = 0; k < cols; k++) kept[k] = cru_rng_uniform(&m->rng) >= s->column_drop;
    const cru_pool step = cru_tape_pool(t);
    const cru_csr edges = cru_sample_edges(step, &l->task->graph, 1 - s->edge_drop, false, &m->rng);
    const cru_csr adj = cru_graph_gcn(step, &edges, CRU_LOOPS_FILL);
    cru_gcn_stack view = m->encoder;
    view.layer[0].w = cru_mul(t, view.layer[0].w, cru_tensor_upload(t, cru_2d(cols, 1), kept));
    return cru_gcn_stack_input(t, &view, cru_sparse_step(t, &adj), &l->x);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_fc_apply(t, &m->classes, cru_represent(t, cru_gcn_stack_input(t, &m->encoder, m->adj, &l->x)));
}

typedef struct view {
    cru_tensor *h, *projected; /* n x hidden */
} view;

/* Cross-entropy of the first view's logits where both agree. */
static cru_tensor *supervised(cru_learner *l, const model *m, cru_tape *t, const view v[2])
{
    cru_tensor *z[2];
    for (int i = 0; i < 2; i++) z[i] = cru_fc_apply(t, &m->classes, cru_gather(t, v[i].h, l->train_rows));
    cru_tensor *each = cru_cross_entropy_each(t, z[0], &(cru_targets){.labels = l->train_labels});
    return cru_mean(t, cru_gather(t, each, agreement(t, z[0], z[1], true)), CRU_ALL);
}

static cru_tensor *across_spaces(cru_learner *l, const model *m, cru_tape *t, const view v[2])
{
    const settings *s = l->settings;
    two_spaces spaces = {.temperature = s->temperature, .least = s->p};
    for (int i = 0; i < 2; i++) {
        spaces.projected[i] = v[i].projected;
        spaces.classified[i] = cru_log_softmax(t, cru_fc_apply(t, &m->classes, v[i].h), 1);
    }
    return consistency(t, &spaces);
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    cru_tape_begin(t, CRU_TRAIN);
    view v[2];
    for (int i = 0; i < 2; i++) {
        v[i].h = encode_view(l, m, t);
        v[i].projected = cru_mlp_apply(t, &m->projection, v[i].h);
    }
    cru_tensor *contrast = cru_view_contrast(t, v[0].projected, v[1].projected, s->tau, s->stable);
    cru_tensor *weighted = cru_plus(t, NULL, s->alpha, contrast);
    cru_tensor *total = cru_add(t, supervised(l, m, t, v), weighted);
    if (s->variant == CRU_PAPER) total = cru_plus(t, total, s->beta, across_spaces(l, m, t, v));
    return cru_learner_step(l, l->optim, total);
}

/* In variant bench the heads are no net of the learner. */
static void state(cru_learner *l, void *self, cru_state *file)
{
    const model *m = self;
    (void)l;
    cru_state_tensor(file, "classes.weight", m->classes.w);
    cru_state_tensor(file, "classes.bias", m->classes.b);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .logits = logits,
               .epoch = epoch, .state = state),
    .name = "crgnn",
    .version = "2.0",
    .summary = "contrast of two views, labels where they agree",
    .citation = "Li, Li, Li, Qian, Wang. Contrastive Learning of Graphs under Label Noise. Neural Networks 2024.",
    .categories = "GLN, contrast",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
