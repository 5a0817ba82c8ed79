// SPDX-License-Identifier: Apache-2.0
/* sgc: graph convolutions without anything between them, so that one linear layer remains.
 *
 *     logits = Â^K X W + b
 *
 * The anomaly study also draws two linear layers, with nothing between them: logits = (Â^K X W_1 + b_1) W_2 + b_2.
 * Â^K X never changes and is computed once. Of sparse X it would be dense and large; there Â^K (X W) is computed in
 * every step, which changes rounding only.
 *
 * Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying Graph Convolutional Networks. ICML 2019. */
#include <crucible/crucible.h>

typedef struct settings {
    int64_t hops, layers, hidden, draw;
    bool bias, one_logit;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, hops, 1, 0, 1000, "steps of propagation K"),
    CRU_INT(settings, layers, 1, 1, 2, "linear layers"),
    CRU_WIDTH(settings, hidden, 32),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_CHOICE(settings, draw, CRU_DRAW_FAN_IN, cru_draw_names, "how weight and bias start"),
    CRU_BOOL(settings, bias, true, "add a bias"),
    CRU_ONE_LOGIT(settings, one_logit),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_tensor *spread; /* Â^K X, or NULL when X is sparse */
    cru_fc layer, out;  /* out.w is NULL where there is one layer */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    cru_tape_begin(l->tape, CRU_EVAL);
    if (l->x.dense) m->spread = cru_tensor_kept(l->tape, cru_propagate(l->tape, l->adj, l->x.dense, s->hops));
    const int64_t outputs = cru_outputs(task, s->one_logit), width = s->layers > 1 ? s->hidden : outputs;
    m->layer = cru_fc_create_drawn(l->net, "linear", task->x.cols, width, (cru_draw)s->draw, s->bias);
    if (s->layers > 1) m->out = cru_fc_create(l->net, "out", width, outputs);
}

static cru_tensor *first_layer(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    if (m->spread) return cru_fc_apply(t, &m->layer, m->spread);
    cru_tensor *z = cru_propagate(t, l->adj, cru_input_linear(t, &l->x, m->layer.w, NULL), s->hops);
    return m->layer.b ? cru_add(t, z, m->layer.b) : z;
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *z = first_layer(l, m, t);
    return m->out.w ? cru_fc_apply(t, &m->out, z) : z;
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits, .adjacency = CRU_AT(settings, adjacency)),
    .name = "sgc",
    .version = "2.0",
    .summary = "propagate the features, then one linear layer",
    .citation = "Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying Graph Convolutional Networks. ICML 2019.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
