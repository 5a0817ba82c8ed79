// SPDX-License-Identifier: Apache-2.0
/* cp: communities, found without labels, as a second target.
 *
 * Communities c are k-means clusters of node2vec embeddings of the graph. With h the result of a GCN and two linear
 * heads on it:
 *
 *     loss = mean CE(class head, label) + lam mean CE(community head, c)      over the training items
 *
 * The class head predicts.
 *
 * Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM 2020. */
#include <crucible/cluster.h>

#include "node2vec.h"

typedef struct settings {
    int64_t clusters;
    double lam;
    node2vec embedding;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, lam, 0.2, 0, CRU_NO_MAX, "weight of the communities", .search = CRU_ONE_OF(0.1, 0.2, 0.3)),
    CRU_INT(settings, clusters, 8, 1, 65536, "communities"),
    CRU_INT_KEY(settings, "emb_dim", embedding.dim, 128, 1, 65536, "width of the embeddings"),
    CRU_INT_KEY(settings, "emb_walks", embedding.walks, 10, 1, 10000, "walks from each node"),
    CRU_INT_KEY(settings, "emb_length", embedding.length, 20, 2, 10000, "nodes of a walk"),
    CRU_INT_KEY(settings, "emb_context", embedding.context, 10, 2, 10000, "nodes of a window, at most those of a walk"),
    CRU_INT_KEY(settings, "emb_batch", embedding.batch, 128, 1, 1e6, "nodes in a step"),
    CRU_INT_KEY(settings, "emb_epochs", embedding.epochs, 100, 0, 1e6, "epochs of the embeddings"),
    CRU_FLOAT_KEY(settings, "emb_lr", embedding.lr, 0.01, 0, CRU_NO_MAX, "learning rate of the embeddings"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_net *walks; /* not the learner's: trained and used once */
    cru_tensor *table;
    cru_gcn_stack encoder;
    cru_fc classes, communities;
    cru_tensor *hidden; /* of the step under way */
    int32_t *community; /* of the training items */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_init normal = {.kind = CRU_INIT_NORMAL, .b = 1};
    const cru_gcn_shape shape = {.in = l->x.cols,
                                 .hidden = s->gcn.hidden,
                                 .out = s->gcn.hidden,
                                 .layers = s->gcn.layers,
                                 .draw = CRU_DRAW_GLOROT,
                                 .dropout = s->gcn.dropout};
    m->walks = cru_net_create(l->ctx, "walks");
    m->table = cru_net_weight(m->walks, "embedding", cru_2d(l->task->nodes, s->embedding.dim), normal);
    m->encoder = cru_gcn_stack_create(l->net, "conv", &shape);
    m->classes = cru_fc_create(l->net, "classes", s->gcn.hidden, l->task->classes);
    m->communities = cru_fc_create(l->net, "communities", s->gcn.hidden, s->clusters);
    m->community = cru_ctx_alloc(l->ctx, l->train_rows.count, sizeof *m->community);
    if (s->embedding.context > s->embedding.length) cru_learner_refuse(l, "emb_context is more than emb_length");
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->nodes;
    node2vec_fit(l, &s->embedding, m->table);
    if (cru_ctx_status(l->ctx)) return;
    cru_tape_begin(l->tape, CRU_EVAL);
    const cru_dense points = {n, s->embedding.dim, cru_tensor_host(l->tape, m->table)};
    int32_t *group = cru_ctx_alloc(l->ctx, n, sizeof *group);
    cru_rng rng = cru_ctx_stream(l->ctx, "communities");
    cru_kmeans(&points, &(cru_kmeans_options){.k = (int32_t)(s->clusters < n ? s->clusters : n)}, &rng, group, NULL);
    for (int64_t i = 0; i < l->train_rows.count; i++) m->community[i] = group[l->task->split.train.ids[i]];
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    m->hidden = cru_gcn_stack_input(t, &m->encoder, l->adj, &l->x);
    return cru_fc_apply(t, &m->classes, m->hidden);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tensor *c = cru_fc_apply(t, &m->communities, cru_gather(t, m->hidden, l->train_rows));
    const cru_targets found = {.labels = cru_index_step(t, m->community, l->train_rows.count)};
    cru_tensor *plain = cru_learner_loss(l, t, z);
    return cru_plus(t, plain, s->lam, cru_cross_entropy(t, c, &found));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .logits = logits,
               .loss = loss, .widen = cru_weights_only, .adjacency = CRU_AT(settings, gcn.adjacency)),
    .name = "cp",
    .version = "1.0",
    .summary = "communities of the graph as a second target",
    .citation = "Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM "
                "2020.",
    .categories = "GLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
