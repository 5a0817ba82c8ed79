// SPDX-License-Identifier: Apache-2.0
/* sgc: graph convolutions without anything between them, so that one linear layer remains.
 *
 *     logits = Â^K X W + b
 *
 * Â^K X never changes and is computed once. Of sparse X it would be dense and large; there Â^K (X W) is computed in
 * every step, which changes rounding only.
 *
 * Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying Graph Convolutional Networks. ICML 2019. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_NODES | CRU_ANOMALY };

typedef struct settings {
    int64_t hops, draw;
    bool bias;
    cru_adjacency adjacency;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, hops, 1, 0, 1000, "steps of propagation K"),
    CRU_ADJACENCY_SETTINGS(settings, adjacency, CRU_LOOPS_FILL, CRU_NORM_SYM),
    CRU_CHOICE(settings, draw, CRU_DRAW_FAN_IN, cru_draw_names, "how weight and bias start"),
    CRU_BOOL(settings, bias, true, "add a bias"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_EQUAL),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_sparse *adj;    /* Â */
    cru_tensor *spread; /* Â^K X, or NULL when X is sparse */
    cru_fc layer;
} model;

static cru_tensor *spread_features(const model *m, int64_t hops)
{
    cru_tape *t = m->base.tape;
    cru_tape_begin(t, CRU_EVAL);
    cru_tensor *x = cru_propagate(t, m->adj, m->base.x.dense, hops);
    float *host = cru_tape_alloc(t, cru_tensor_count(x), sizeof *host);
    cru_tensor_download(t, x, host);
    return cru_tensor_from(m->base.ctx, x->rank, x->dim, host);
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    m->adj = cru_adjacency_create(m->base.ctx, &task->graph, &s->adjacency);
    if (m->base.x.dense) m->spread = spread_features(m, s->hops);
    m->layer = cru_fc_create_drawn(m->base.net, "linear", (const int64_t[]){task->x.cols, task->classes},
                                   (cru_draw)s->draw, s->bias);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    if (m->spread) return cru_fc_apply(t, &m->layer, m->spread);
    cru_tensor *z = cru_propagate(t, m->adj, cru_input_linear(t, &m->base.x, m->layer.w, NULL), s->hops);
    return m->layer.b ? cru_add(t, z, m->layer.b) : z;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .logits = logits};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "sgc",
    .version = "1.0",
    .summary = "propagate the features, then one linear layer",
    .citation = "Wu, Zhang, Souza, Fifty, Yu, Weinberger. Simplifying Graph Convolutional Networks. ICML 2019.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
