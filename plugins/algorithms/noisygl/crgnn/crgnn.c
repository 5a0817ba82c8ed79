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
#include "noisy-labels.h"

enum { PROBLEMS = CRU_NODES };

typedef struct settings {
    int64_t variant, hidden;
    double alpha, beta, tau, p, temperature, edge_drop, column_drop, dropout;
    bool stable;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, variant, VARIANT_BENCH, variant_names, "bench: predict with the last class head"),
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
    cru_learner base;
    cru_rng rng;
    cru_sparse *adj;
    cru_net *heads; /* the learner's in variant paper: only those are restored */
    cru_gcn_stack encoder;
    cru_mlp projection;
    cru_fc classes;
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    const int64_t h = s->hidden;
    m->rng = cru_ctx_stream(m->base.ctx, "sampling");
    m->adj = cru_adjacency_create(m->base.ctx, &task->graph, &(cru_adjacency){CRU_LOOPS_FILL, CRU_NORM_SYM});
    m->heads = s->variant == VARIANT_PAPER ? cru_learner_net(&m->base, "heads") : cru_net_create(m->base.ctx, "heads");
    m->encoder = cru_gcn_stack_create(m->base.net, "conv",
                                      &(cru_gcn_shape){.in = task->x.cols,
                                                       .hidden = h,
                                                       .out = h,
                                                       .layers = 2,
                                                       .draw = CRU_DRAW_GLOROT,
                                                       .dropout = (float)s->dropout});
    m->projection =
        cru_mlp_create(m->heads, "projection", &(cru_mlp_shape){.in = h, .hidden = h, .out = h, .layers = 2});
    m->classes = cru_fc_create(m->heads, "classes", h, task->classes);
    return cru_ctx_status(m->base.ctx);
}

static cru_status prepare(void *self)
{
    model *m = self;
    m->base.optim = cru_learner_optim(&m->base, (cru_net *[]){m->base.net, m->heads}, 2);
    return CRU_OK;
}

/* n x hidden. A feature that is zero for all nodes is a row of zeros in the first matrix. */
static cru_tensor *encode_view(model *m, cru_tape *t)
{
    const settings *s = m->base.settings;
    const int64_t cols = m->base.x.cols;
    float *kept = cru_tape_alloc(t, cols, sizeof *kept);
    for (int64_t k = 0; k < cols; k++) kept[k] = cru_rng_uniform(&m->rng) >= s->column_drop;
    const cru_pool step = cru_tape_pool(t);
    const cru_csr edges = cru_sample_edges(step, &m->base.task->graph, 1 - s->edge_drop, false, &m->rng);
    const cru_csr adj = cru_graph_gcn(step, &edges, CRU_LOOPS_FILL);
    cru_gcn_stack view = m->encoder;
    view.layer[0].w = cru_mul(t, view.layer[0].w, cru_tensor_upload(t, 2, (const int64_t[]){cols, 1}, kept));
    return cru_gcn_stack_input(t, &view, cru_sparse_step(t, &adj), &m->base.x);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    model *m = self;
    return cru_fc_apply(t, &m->classes, cru_gcn_stack_input(t, &m->encoder, m->adj, &m->base.x));
}

typedef struct view {
    cru_tensor *h, *projected; /* n x hidden */
} view;

/* Cross-entropy of the first view's logits where both agree. */
static cru_tensor *supervised(const model *m, cru_tape *t, const view v[2])
{
    cru_tensor *z[2];
    for (int i = 0; i < 2; i++) z[i] = cru_fc_apply(t, &m->classes, cru_gather(t, v[i].h, m->base.train_rows));
    cru_tensor *each = cru_cross_entropy_each(t, z[0], &(cru_targets){.labels = m->base.train_labels});
    return cru_mean(t, cru_gather(t, each, agreement(t, z[0], z[1], true)), CRU_ALL);
}

static cru_tensor *across_spaces(const model *m, cru_tape *t, const view v[2])
{
    const settings *s = m->base.settings;
    two_spaces spaces = {.temperature = (float)s->temperature, .least = (float)s->p};
    for (int i = 0; i < 2; i++) {
        spaces.projected[i] = v[i].projected;
        spaces.classified[i] = cru_log_softmax(t, cru_fc_apply(t, &m->classes, v[i].h), 1);
    }
    return consistency(t, &spaces);
}

static cru_status epoch(void *self, double *loss)
{
    model *m = self;
    const settings *s = m->base.settings;
    cru_tape *t = m->base.tape;
    cru_tape_begin(t, CRU_TRAIN);
    view v[2];
    for (int i = 0; i < 2; i++) {
        v[i].h = encode_view(m, t);
        v[i].projected = cru_mlp_apply(t, &m->projection, v[i].h);
    }
    cru_tensor *contrast = cru_view_contrast(t, v[0].projected, v[1].projected, (float)s->tau, s->stable);
    cru_tensor *total = cru_add(t, supervised(m, t, v), cru_scale(t, contrast, (float)s->alpha));
    if (s->variant == VARIANT_PAPER) total = cru_add(t, total, cru_scale(t, across_spaces(m, t, v), (float)s->beta));
    *loss = cru_learner_step(&m->base, m->base.optim, total);
    return cru_ctx_status(m->base.ctx);
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .prepare = prepare,
                                  .logits = logits,
                                  .epoch = epoch};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "crgnn",
    .version = "1.0",
    .summary = "contrast of two views, labels where they agree",
    .citation = "Li, Li, Li, Qian, Wang. Contrastive Learning of Graphs under Label Noise. Neural Networks 2024.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
