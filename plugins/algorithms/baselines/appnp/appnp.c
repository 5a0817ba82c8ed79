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

typedef struct settings {
    cru_mlp_shape mlp; /* all but in, out, norm_last and no_bias */
    int64_t hops;
    double alpha, edge_dropout;
    bool bias, one_logit;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, alpha, 0.1, 0, 1, "teleport probability", .search = CRU_ONE_OF(0.1, 0.2, 0.5, 0.9)),
    CRU_INT(settings, hops, 10, 0, 1000, "steps of propagation K"),
    CRU_INT_KEY(settings, "layers", mlp.layers, 2, 1, CRU_MAX_LAYERS, "linear layers of the perceptron"),
    CRU_INT_KEY(settings, "hidden", mlp.hidden, 64, 1, 65536, "width between them",
                .search = CRU_ONE_OF(64, 128, 256, 512)),
    CRU_FLOAT_KEY(settings, "dropout", mlp.dropout, 0.5, 0, 0.99, "after each activation",
                  .search = CRU_ONE_OF(0, 0.1, 0.3, 0.5, 0.7)),
    CRU_BOOL_KEY(settings, "input_dropout", mlp.input_dropout, false, "the same dropout on the features"),
    CRU_FLOAT(settings, edge_dropout, 0, 0, 0.99, "of the edges in every step of propagation"),
    CRU_BOOL_KEY(settings, "batch_norm", mlp.batch_norm, true, "batch normalisation after each activation"),
    CRU_BOOL(settings, bias, true, "a bias in every layer"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 1000, 0.01, 1e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_mlp mlp;
    cru_tensor *values; /* of its entries; NULL without edge dropout */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_mlp_shape shape = s->mlp;
    shape.in = l->x.cols, shape.out = cru_outputs(l->task, s->one_logit);
    shape.norm_last = true, shape.no_bias = !s->bias;
    m->mlp = cru_mlp_create(l->net, "mlp", &shape);
    if (s->edge_dropout > 0) m->values = cru_sparse_values(l->adj);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_mlp_input(t, &m->mlp, &l->x); /* n x c */
    if (!m->values) return cru_appnp(t, l->adj, h, s->alpha, s->hops);
    cru_tensor *z = h;
    for (int64_t k = 0; k < s->hops; k++) {
        cru_tensor *kept = cru_dropout(t, m->values, s->edge_dropout);
        z = cru_lerp(t, cru_spmm_weighted(t, l->adj, kept, z), h, s->alpha);
    }
    return z;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "appnp",
    .version = "2.0",
    .summary = "predict, then propagate with personalised PageRank",
    .citation = "Gasteiger, Bojchevski, Günnemann. Predict then Propagate: Graph Neural Networks meet Personalized "
                "PageRank. ICLR 2019.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
