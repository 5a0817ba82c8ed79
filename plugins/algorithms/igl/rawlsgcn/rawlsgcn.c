// SPDX-License-Identifier: Apache-2.0
/* rawlsgcn: a GCN in which nodes of any degree have the same influence on the weights.
 *
 *     logits = P Drop(ReLU(P X W_0 + b_0)) W_1 + b_1
 *     S = D^-1/2 (A + I) D^-1/2, A made symmetric      R = Sinkhorn-Knopp(S), rows and columns sum to 1
 *
 *     graph   P = R
 *     grad    P = S, but the gradient of W is H^T R dL/dZ, Z = P H W + b
 *
 * Features should be divided by their row sums ([preprocess] features = row-sum), as the reference does everywhere.
 *
 * Kang, Zhu, Xia, Luo, Tong. RawlsGCN: Towards Rawlsian Difference Principle on Graph Convolutional Network. WWW
 * 2022. */
#include <crucible/crucible.h>

enum { GRAPH, GRAD, ROUNDS = 1000, LAYERS = 2 };
static const char *const models[] = {"graph", "grad", NULL};

typedef struct settings {
    int64_t model, hidden;
    double dropout, tolerance;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, model, GRAPH, models, "equal influence by the matrix or in the gradient"),
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5, .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, tolerance, 0.01, 1e-7, 1, "how far from 1 rows and columns may sum"),
    CRU_TRAIN_SETTINGS(settings, train, 100, 0.05, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_sparse *adj, *fair; /* S, R */
    cru_gcn_stack convs;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr both = cru_learner_undirected(l), adj = cru_graph_gcn(pool, &both, CRU_LOOPS_ADD);
    const cru_csr fair = cru_graph_doubly_stochastic(pool, &adj, s->tolerance, ROUNDS);
    m->adj = cru_sparse_create(l->ctx, &adj);
    m->fair = cru_sparse_create(l->ctx, &fair);
    m->convs = cru_gcn_stack_create(l->net, "conv",
                                    &(cru_gcn_shape){.in = l->x.cols,
                                                     .hidden = s->hidden,
                                                     .out = l->task->classes,
                                                     .layers = LAYERS,
                                                     .draw = CRU_DRAW_FAN_OUT,
                                                     .dropout = s->dropout});
}

/* S H W + b in value. The gradient reaches H through S and W through R^T: the second term is 0. */
static cru_tensor *fair_gradient(cru_tape *t, const model *m, const cru_gcn *layer, const cru_input *h)
{
    const cru_input still = h->dense ? cru_input_of(cru_detach(t, h->dense)) : *h;
    cru_tensor *z = cru_spmm(t, m->adj, cru_input_linear(t, h, cru_detach(t, layer->w), NULL));
    cru_tensor *fair = cru_spmm_transposed(t, m->fair, cru_input_linear(t, &still, layer->w, NULL));
    return cru_add(t, cru_add(t, z, cru_sub(t, fair, cru_detach(t, fair))), layer->b);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    if (s->model == GRAPH) return cru_gcn_stack_input(t, &m->convs, m->fair, &l->x);
    if (cru_tape_mode(t) == CRU_EVAL) return cru_gcn_stack_input(t, &m->convs, m->adj, &l->x);
    cru_tensor *h = cru_relu(t, fair_gradient(t, m, &m->convs.layer[0], &l->x));
    const cru_input hidden = cru_input_of(cru_dropout(t, h, s->dropout));
    return fair_gradient(t, m, &m->convs.layer[1], &hidden);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "rawlsgcn",
    .version = "1.0",
    .summary = "a GCN over a doubly stochastic matrix",
    .citation = "Kang, Zhu, Xia, Luo, Tong. RawlsGCN: Towards Rawlsian Difference Principle on Graph Convolutional "
                "Network. WWW 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
