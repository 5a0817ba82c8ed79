// SPDX-License-Identifier: Apache-2.0
/* cold-brew: the teacher of Cold Brew, a GCN with initial residuals and, if asked for, an embedding of every node.
 *
 *     x_0 = ReLU(Drop(X) W_in + b_in)      x_l = (1 - a) ReLU(S (Drop(x_l-1) W_l + E_l) + b_l) + a x_0
 *     logits = Drop(x_2) W_out + b_out      S = D_in^-1/2 A D_out^-1/2, A with one loop for every node
 *     loss = mean CE + se_reg sum_l ||E_l||_F
 *
 * The study runs the teacher alone, and the form that it chose has no E (`embeddings` = no). isolate = yes takes all
 * edges from the nodes of least degree, as the study's older script does: of those at or below a median four times
 * taken, the lower half.
 *
 * Zheng, Huang, Rao, Katariya, Wang, Subbian. Cold Brew: Distilling Graph Node Representations with Incomplete or
 * Missing Neighborhoods. ICLR 2022. */
#include <crucible/crucible.h>

enum { LAYERS = 2, CUTS = 4 };

typedef struct settings {
    int64_t hidden;
    double dropout, res_alpha, se_reg;
    bool embeddings, isolate;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.6, 0, 0.99, "before every layer", .search = CRU_ONE_OF(0.2, 0.3, 0.4, 0.5, 0.6)),
    CRU_FLOAT(settings, res_alpha, 0.1, 0, 1, "share of the first layer in every other",
              .search = CRU_ONE_OF(0.01, 0.1, 0.5, 0.9, 0.99)),
    CRU_BOOL(settings, embeddings, false, "learn an embedding of every node in every convolution"),
    CRU_FLOAT(settings, se_reg, 32, 0, CRU_NO_MAX, "weight of their norms"),
    CRU_BOOL(settings, isolate, false, "take away the edges of the nodes of least degree"),
    CRU_TRAIN_SETTINGS(settings, train, 1500, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_sparse *adj;
    cru_fc in, out;
    cru_gcn conv[LAYERS];
    cru_tensor *embedding[LAYERS]; /* or NULL */
} model;

static bool touches_none(void *user, int64_t row, int32_t col, float value)
{
    (void)value;
    const uint8_t *cold = user;
    return !cold[row] && !cold[col];
}

static cru_csr without_cold(cru_learner *l)
{
    const cru_csr *g = &l->task->graph;
    const int64_t n = g->rows;
    int64_t *degree = cru_ctx_alloc(l->ctx, n, sizeof *degree), left = n;
    int32_t *order = cru_ctx_alloc(l->ctx, n, sizeof *order); /* the largest first */
    uint8_t *cold = cru_ctx_alloc(l->ctx, n, 1);
    cru_graph_in_degrees(g, degree);
    for (int32_t v = 0; v < n; v++) order[v] = v;
    cru_largest_first(order, n, degree);
    for (int cut = 0; cut < CUTS && left; cut++) {
        const int64_t median = degree[order[n - 1 - (left - 1) / 2]];
        while (degree[order[n - left]] > median) left--;
    }
    for (int64_t i = 0; i < left / 2; i++) cold[order[n - 1 - i]] = 1;
    return cru_csr_filter(cru_ctx_pool(l->ctx), g, touches_none, cold);
}

static void build(cru_learner *l, void *self)
{
    static const char *const convs[LAYERS] = {"conv0", "conv1"}, *const tables[LAYERS] = {"embedding0", "embedding1"};
    model *m = self;
    const settings *s = l->settings;
    const cru_csr g = s->isolate ? without_cold(l) : l->task->graph;
    m->adj = cru_adjacency_create(l->ctx, &g, &(cru_adjacency){CRU_LOOPS_SET, CRU_NORM_IN_OUT});
    m->in = cru_fc_create(l->net, "in", l->x.cols, s->hidden);
    m->out = cru_fc_create(l->net, "out", s->hidden, l->task->classes);
    for (int i = 0; i < LAYERS; i++) {
        m->conv[i] = cru_gcn_create(l->net, convs[i], s->hidden, s->hidden);
        if (s->embeddings)
            m->embedding[i] = cru_net_weight(l->net, tables[i], cru_2d(l->task->nodes, s->hidden),
                                             (cru_init){.kind = CRU_INIT_NORMAL, .b = 1});
    }
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_input dropped = cru_input_dropout(t, &l->x, s->dropout);
    cru_tensor *first = cru_relu(t, cru_fc_input(t, &m->in, &dropped)), *x = first;
    for (int i = 0; i < LAYERS; i++) {
        cru_tensor *h = cru_matmul(t, cru_dropout(t, x, s->dropout), m->conv[i].w);
        if (m->embedding[i]) h = cru_add(t, h, m->embedding[i]);
        h = cru_relu(t, cru_add(t, cru_spmm(t, m->adj, h), m->conv[i].b));
        x = cru_lerp(t, h, first, s->res_alpha);
    }
    return cru_fc_apply(t, &m->out, cru_represent(t, cru_dropout(t, x, s->dropout)));
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *sum = cru_learner_loss(l, t, z);
    for (int i = 0; i < LAYERS && s->embeddings; i++)
        sum = cru_plus(t, sum, s->se_reg, cru_norm_l2(t, m->embedding[i], CRU_ALL, 0));
    return sum;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .loss = loss),
    .name = "cold-brew",
    .version = "1.0",
    .summary = "a GCN with initial residuals and embeddings of nodes: Cold Brew's teacher",
    .citation = "Zheng, Huang, Rao, Katariya, Wang, Subbian. Cold Brew: Distilling Graph Node Representations with "
                "Incomplete or Missing Neighborhoods. ICLR 2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
