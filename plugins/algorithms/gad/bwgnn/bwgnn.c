// SPDX-License-Identifier: Apache-2.0
/* bwgnn: band-pass filters on the graph's spectrum, where anomalies shift energy to the right.
 *
 *     H = act(act(X W_1 + b_1) W_2 + b_2)
 *     Z = [W_0 H | ... | W_C H]      W_i = (L/2)^i (I - L/2)^(C-i) / B(i+1, C-i+1)      L = I - D^-1/2 A D^-1/2
 *     logits = ReLU(Z W_3 + b_3) W_4 + b_4      with mlp_layers = 1: Z W_3 + b_3
 *
 * D holds in-degrees on both sides. Self-loops are those of the graph. As in the anomaly study the filters are divided
 * by B, not by 2 B as in the paper, which the head makes up for; the loss weighs the rare class up.
 *
 * Tang, Li, Gao, Li. Rethinking Graph Neural Networks for Anomaly Detection. ICML 2022. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY };

typedef struct settings {
    int64_t order, hidden, mlp_layers, activation;
    double dropout;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, order, 2, 1, CRU_MAX_LAYERS, "C; there are C + 1 filters", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_INT(settings, hidden, 32, 1, 65536, "width", .search = CRU_ONE_OF(16, 32, 64)),
    CRU_INT(settings, mlp_layers, 2, 1, 2, "linear layers after the filters", .search = CRU_ONE_OF(1, 2)),
    CRU_CHOICE(settings, activation, 0, cru_activation_names, "before the filters; after them it is relu",
               .search = CRU_ANY_CHOICE),
    CRU_FLOAT(settings, dropout, 0, 0, 0.99, "before the filters; the study never applied its own"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_KEEP, CRU_NORM_SYM),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj;
    cru_mlp in;
    cru_wavelets wavelets;
    cru_fc out; /* w is NULL when the filters are the last layer */
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    const bool deep = s->mlp_layers > 1;
    m->adj = cru_adjacency_create(m->base.ctx, &task->graph, &s->adjacency);
    m->in = cru_mlp_create(m->base.net, "in",
                           &(cru_mlp_shape){.in = task->x.cols,
                                            .hidden = s->hidden,
                                            .out = s->hidden,
                                            .layers = 2,
                                            .act = cru_activations[s->activation]});
    m->wavelets = cru_wavelets_create(m->base.net, "wavelets",
                                      (const int64_t[]){s->hidden, deep ? s->hidden : task->classes}, s->order);
    if (deep) m->out = cru_fc_create(m->base.net, "out", s->hidden, task->classes);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    cru_tensor *h = cru_activate(t, cru_activations[s->activation], cru_mlp_input(t, &m->in, &m->base.x));
    cru_tensor *z = cru_wavelets_apply(t, &m->wavelets, m->adj, cru_dropout(t, h, (float)s->dropout));
    return m->out.w ? cru_fc_apply(t, &m->out, cru_relu(t, z)) : z;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "bwgnn",
    .version = "1.0",
    .summary = "Beta wavelets: band-pass filters on the graph's spectrum",
    .citation = "Tang, Li, Gao, Li. Rethinking Graph Neural Networks for Anomaly Detection. ICML 2022.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
