// SPDX-License-Identifier: Apache-2.0
/* Layers that a plugin of their own brings. */
#include <crucible/encoder-plugin.h>
#include <crucible/wrapper.h>

/* ---- as a method ----------------------------------------------------------------------------------------- */

const cru_param cru_encoder_alone_schema[] = {
    CRU_INT(cru_encoder_alone, layers, 2, 1, CRU_MAX_LAYERS, "layers", .search = CRU_ONE_OF(1, 2, 3, 4)),
    CRU_WIDTH(cru_encoder_alone, hidden, 64, .search = CRU_ONE_OF(16, 32, 64, 128)),
    CRU_DROPOUT(cru_encoder_alone, dropout, 0.5),
    CRU_GRAPH_SETTINGS(cru_encoder_alone, graphs, CRU_LOOPS_KEEP, CRU_NORM_NONE, CRU_READOUT_MEAN),
    CRU_TRAIN_SETTINGS(cru_encoder_alone, train, 200, 0.01, 5e-4),
    CRU_END,
};

const cru_encoder_kind *cru_encoder_offered(const cru_plugin *plugin)
{
    if (plugin->kind != CRU_KIND_ALGORITHM || !plugin->method || plugin->method->build != cru_encoder_alone_build)
        return NULL;
    return ((const cru_encoder_method *)plugin->method)->kind;
}

void cru_encoder_alone_build(cru_learner *l, void *model)
{
    cru_encoder *e = model;
    const cru_encoder_alone *s = l->settings;
    *e = cru_encoder_create_of(
        l->net, "conv", cru_encoder_offered(l->plugin),
        &(cru_encoder_shape){
            .in = l->x.cols, .hidden = s->hidden, .layers = s->layers, .out = l->task->classes, .dropout = s->dropout});
    if (l->task->problem == CRU_GRAPHS) return;
    const cru_csr matrix = cru_encoder_graph(cru_ctx_pool(l->ctx), e, &l->graphs.host);
    e->adj = cru_sparse_create(l->ctx, &matrix);
}

cru_tensor *cru_encoder_alone_forward(cru_learner *l, void *model, cru_tape *t, const cru_graphs *graphs)
{
    const cru_encoder *e = model;
    cru_sparse *adj = e->adj;
    if (!adj) {
        const cru_csr host = cru_encoder_graph(cru_tape_pool(t), e, &graphs->host);
        adj = cru_sparse_step(t, &host);
    }
    cru_encoder layers = *e;
    layers.head = (cru_fc){0};
    cru_tensor *h = cru_graphs_readout(t, l, graphs, cru_encoder_logits(t, &layers, adj, &graphs->x));
    return cru_fc_apply(t, &e->head, cru_represent(t, h));
}

/* ---- for other methods ----------------------------------------------------------------------------------- */

const cru_encoder_kind *cru_encoder_of(cru_ctx *ctx, const char *name)
{
    const cru_inner *inner = cru_ctx_inner(ctx);
    if (!name || !*name) return NULL;
    const cru_encoder_kind *kind = inner ? cru_encoder_offered(inner->plugin) : NULL;
    if (!kind) cru_ctx_fail(ctx, CRU_UNSUPPORTED, "encoder = %s: no plugin with layers was loaded", name);
    return kind;
}

cru_encoder cru_learner_encoder_of(cru_learner *learner, cru_net *net, const cru_encoder_settings *settings,
                                   const char *name)
{
    const cru_encoder_kind *kind = cru_encoder_of(learner->ctx, name);
    if (!kind) return cru_learner_encoder(learner, net, settings);
    cru_encoder e = cru_encoder_create_of(net, "conv", kind,
                                          &(cru_encoder_shape){.in = learner->task->x.cols,
                                                               .hidden = settings->hidden,
                                                               .layers = settings->layers,
                                                               .out = learner->task->classes,
                                                               .dropout = settings->dropout});
    e.adj = cru_adjacency_create(learner->ctx, &learner->task->graph, &e.adjacency);
    return e;
}
