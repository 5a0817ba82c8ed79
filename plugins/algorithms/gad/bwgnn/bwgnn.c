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
    cru_mlp in;
    cru_wavelets wavelets;
    cru_fc out; /* w is NULL when the filters are the last layer */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const bool deep = s->mlp_layers > 1;
    m->in = cru_mlp_create(l->net, "in",
                           &(cru_mlp_shape){.in = task->x.cols,
                                            .hidden = s->hidden,
                                            .out = s->hidden,
                                            .layers = 2,
                                            .act = cru_activations[s->activation]});
    m->wavelets = cru_wavelets_create(l->net, "wavelets", s->hidden, deep ? s->hidden : task->classes, s->order);
    if (deep) m->out = cru_fc_create(l->net, "out", s->hidden, task->classes);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *h = cru_activate(t, cru_activations[s->activation], cru_mlp_input(t, &m->in, &l->x));
    cru_tensor *z = cru_wavelets_apply(t, &m->wavelets, l->adj, cru_dropout(t, h, s->dropout));
    return m->out.w ? cru_fc_apply(t, &m->out, cru_relu(t, z)) : z;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "bwgnn",
    .version = "2.0",
    .summary = "Beta wavelets: band-pass filters on the graph's spectrum",
    .citation = "Tang, Li, Gao, Li. Rethinking Graph Neural Networks for Anomaly Detection. ICML 2022.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
