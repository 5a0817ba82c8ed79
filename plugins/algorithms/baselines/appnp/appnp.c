// SPDX-License-Identifier: Apache-2.0
/* appnp: predict with a perceptron, then spread the prediction with personalised PageRank.
 *
 *     H = MLP(X)      Z_0 = H      Z_k+1 = (1 - alpha) Â Z_k + alpha H      logits = Z_K
 *
 * The perceptron is that of the benchmark: linear, ReLU, batch norm, dropout, linear. The paper has no batch norm and
 * no biases, but dropout of the features and, anew in every step, of the entries of Â: settings batch_norm, bias,
 * input_dropout, edge_dropout.
 *
 * Gasteiger, Bojchevski, Günnemann. Predict then Propagate. ICLR 2019. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY };

typedef struct settings {
    int64_t layers, hidden, hops;
    double alpha, dropout, edge_dropout;
    bool batch_norm, input_dropout, bias;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 0.1, 0, 1, "teleport probability", .search = CRU_ONE_OF(0.1, 0.2, 0.5, 0.9)),
    CRU_INT(settings, hops, 10, 0, 1000, "steps of propagation K"),
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "linear layers of the perceptron"),
    CRU_INT(settings, hidden, 64, 1, 65536, "width between them", .search = CRU_ONE_OF(64, 128, 256, 512)),
    CRU_FLOAT(settings, dropout, 0.5, 0, 0.99, "after each activation", .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_BOOL(settings, input_dropout, false, "the same dropout on the features"),
    CRU_FLOAT(settings, edge_dropout, 0, 0, 0.99, "of the edges in every step of propagation"),
    CRU_BOOL(settings, batch_norm, true, "batch normalisation after each activation"),
    CRU_BOOL(settings, bias, true, "a bias in every layer"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj;    /* Â */
    cru_tensor *values; /* of its entries; NULL without edge dropout */
    cru_mlp mlp;
} model;

static cru_tensor *entry_values(cru_ctx *ctx, const cru_csr *a)
{
    const int64_t count = cru_csr_nnz(a);
    if (a->values) return cru_tensor_from(ctx, 1, &count, a->values);
    float *ones = cru_ctx_alloc(ctx, count, sizeof *ones);
    for (int64_t e = 0; e < count; e++) ones[e] = 1;
    return cru_tensor_from(ctx, 1, &count, ones);
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    m->adj = cru_adjacency_create(m->base.ctx, &task->graph, &s->adjacency);
    m->mlp = cru_mlp_create(m->base.net, "mlp",
                            &(cru_mlp_shape){.in = task->x.cols,
                                             .hidden = s->hidden,
                                             .out = task->classes,
                                             .layers = s->layers,
                                             .dropout = (float)s->dropout,
                                             .input_dropout = s->input_dropout,
                                             .batch_norm = s->batch_norm,
                                             .norm_last = true,
                                             .no_bias = !s->bias});
    if (s->edge_dropout > 0) m->values = entry_values(m->base.ctx, &m->adj->csr);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    cru_tensor *h = cru_mlp_input(t, &m->mlp, &m->base.x); /* n x c */
    if (!m->values) return cru_appnp(t, m->adj, h, (float)s->alpha, s->hops);
    cru_tensor *z = h;
    for (int64_t k = 0; k < s->hops; k++) {
        cru_tensor *kept = cru_dropout(t, m->values, (float)s->edge_dropout);
        z = cru_lerp(t, cru_spmm_weighted(t, m->adj, kept, z), h, (float)s->alpha);
    }
    return z;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "appnp",
    .version = "1.0",
    .summary = "predict, then propagate with personalised PageRank",
    .citation = "Gasteiger, Bojchevski, Günnemann. Predict then Propagate: Graph Neural Networks meet Personalized "
                "PageRank. ICLR 2019.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
