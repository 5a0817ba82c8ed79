// SPDX-License-Identifier: Apache-2.0
/* cp: communities, found without labels, as a second target.
 *
 * Communities c are k-means clusters of node2vec embeddings of the graph. With h the result of a GCN and two linear
 * heads on it:
 *
 *     loss = mean CE(class head, label) + lam mean CE(community head, c)      over the training items
 *
 * The class head predicts. The embeddings are learned at the rate lr, too.
 *
 * Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM 2020. */
#include <crucible/crucible.h>
#include <crucible/draft/walk-table.h>

typedef struct settings {
    int64_t clusters, emb_dim;
    double lam;
    cru_walk_options embedding;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, lam, 0.2, 0, CRU_NO_MAX, "weight of the communities", .search = CRU_ONE_OF(0.1, 0.2, 0.3)),
    CRU_INT(settings, clusters, 8, 1, 65536, "communities"),
    CRU_INT(settings, emb_dim, 128, 1, 1024, "width of the embeddings"),
    CRU_INT_KEY(settings, "emb_walks", embedding.walks, 10, 1, 100, "walks from each node"),
    CRU_INT_KEY(settings, "emb_length", embedding.length, 20, 2, 100, "nodes of a walk"),
    CRU_INT_KEY(settings, "emb_context", embedding.context, 10, 2, 100, "nodes of a window, at most those of a walk"),
    CRU_INT_KEY(settings, "emb_batch", embedding.batch, 128, 1, 1024, "nodes in a step"),
    CRU_INT_KEY(settings, "emb_epochs", embedding.epochs, 100, 0, 1000, "epochs of the embeddings"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_gcn_stack encoder;
    cru_fc classes, communities;
    cru_tensor *hidden;    /* of the step under way */
    cru_tensor *community; /* of every training item, as a number */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_gcn_shape shape = {.in = l->x.cols,
                                 .hidden = s->gcn.hidden,
                                 .out = s->gcn.hidden,
                                 .layers = s->gcn.layers,
                                 .draw = CRU_DRAW_GLOROT,
                                 .dropout = s->gcn.dropout};
    m->encoder = cru_gcn_stack_create(l->net, "conv", &shape);
    m->classes = cru_fc_create(l->net, "classes", s->gcn.hidden, l->task->classes);
    m->communities = cru_fc_create(l->net, "communities", s->gcn.hidden, s->clusters);
    m->community = cru_net_buffer(l->net, "community", cru_1d(l->train_rows.count), 0);
    if (s->embedding.context > s->embedding.length) cru_learner_refuse(l, "emb_context is more than emb_length");
}

static void prepare(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->nodes;
    cru_arena *scratch = cru_arena_create();
    const cru_pool own = cru_arena_pool(scratch);
    cru_rng rng = cru_ctx_stream(l->ctx, "walks");
    cru_walk_table table = cru_walk_table_create(own, n, s->emb_dim, &rng);
    cru_walk_options walks = s->embedding;
    walks.lr = s->train.lr;
    cru_walk_table_fit(&table, &l->task->graph, &walks, &rng);
    const cru_dense points = {n, s->emb_dim, table.rows};
    int32_t *group = cru_pool_alloc(own, n, sizeof *group);
    cru_kmeans(&points, &(cru_kmeans_options){.k = (int32_t)(s->clusters < n ? s->clusters : n)}, &rng, group, NULL);
    float *number = cru_pool_alloc(own, l->train_rows.count, sizeof *number);
    for (int64_t i = 0; i < l->train_rows.count; i++) number[i] = (float)group[l->task->split.train.ids[i]];
    cru_tensor_set(l->ctx, m->community, number);
    cru_arena_destroy(scratch);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    m->hidden = cru_gcn_stack_input(t, &m->encoder, l->adj, &l->x);
    return cru_fc_apply(t, &m->classes, cru_represent(t, m->hidden));
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tensor *c = cru_fc_apply(t, &m->communities, cru_gather(t, m->hidden, l->train_rows));
    const float *number = cru_tensor_host(t, m->community);
    int32_t *found = cru_tape_alloc(t, l->train_rows.count, sizeof *found);
    for (int64_t i = 0; i < l->train_rows.count; i++) found[i] = (int32_t)number[i];
    const cru_targets communities = {.labels = cru_index_step(t, found, l->train_rows.count)};
    cru_tensor *plain = cru_learner_loss(l, t, z);
    return cru_plus(t, plain, s->lam, cru_cross_entropy(t, c, &communities));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .prepare = prepare, .logits = logits,
               .loss = loss, .widen = cru_weights_only, .adjacency = CRU_AT(settings, gcn.adjacency),
               .state = cru_no_state),
    .name = "cp",
    .version = "1.1",
    .summary = "communities of the graph as a second target",
    .citation = "Zhang, Hu, Shi, Wang. Adversarial Label-Flipping Attack and Defense for Graph Neural Networks. ICDM "
                "2020.",
    .categories = "GLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
