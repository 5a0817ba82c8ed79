// SPDX-License-Identifier: Apache-2.0
/* hyperimba: messages weighed by the curvature of edges, and a bias from a hierarchy in hyperbolic space.
 *
 *     layer(x)_v = sum over u -> v of w_uv * (x_u W) + b + loss_hp LeakyReLU_0.01(MLP_p(p_v))
 *     w_uv = softmax over all edges with the source u of MLP_k(k_uv), channel by channel
 *     MLP(x) = LeakyReLU_0.2(x M_1) M_2 + c      logits = layer(Drop(ELU(layer(Drop(X)))))
 *
 * k: Ollivier-Ricci curvature of the edge (of the graph made symmetric), 0 for the loop that every node has; p: a point
 * in the Poincaré disc (poincare.h). The reference orders the hierarchy by the labels of all nodes, also those of the
 * test; here only training labels are known.
 *
 * Fu, Wei, Sun, Yuan, Wu, Peng, Li. Hyperbolic Geometric Graph Representation Learning for Hierarchy-imbalance Node
 * Classification. WWW 2023. */
#include <stdio.h>

#include <crucible/crucible.h>

#include "poincare.h"

typedef struct settings {
    int64_t hidden, layers, negatives;
    double dropout, loss_hp, eta;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_WIDTH(settings, hidden, 64, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_INT(settings, layers, 2, 1, 2, "layers"),
    CRU_FLOAT(settings, dropout, 0.6, 0, 0.99, "before every layer"),
    CRU_FLOAT(settings, loss_hp, 1, 0, CRU_NO_MAX, "weight of the hierarchy's bias"),
    CRU_INT(settings, negatives, 10, 1, POINCARE_MOST, "random nodes for every edge of the hierarchy"),
    CRU_FLOAT(settings, eta, 0.01, 0, 1, "learning rate of the hierarchy"),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.0075, 5e-4),
    CRU_END,
};

typedef struct layer {
    cru_fc map, k1, k2, p1, p2;
    cru_tensor *bias;
} layer;

typedef struct model {
    cru_sparse *out;               /* row u: where u points to, itself included */
    cru_index targets;             /* of its entries */
    cru_tensor *curvature, *place; /* entries x 1, nodes x 2 */
    layer layer[2];
} model;

static layer build_layer(cru_net *net, int number, int64_t in, int64_t out)
{
    static const char *const parts[] = {"map", "k1", "k2", "p1", "p2", "bias"};
    char name[6][32];
    for (int i = 0; i < 6; i++) snprintf(name[i], sizeof name[i], "layer%d.%s", number, parts[i]);
    return (layer){.map = cru_fc_create_drawn(net, name[0], in, out, CRU_DRAW_FAN_IN, false),
                   .k1 = cru_fc_create_drawn(net, name[1], 1, out, CRU_DRAW_FAN_IN, false),
                   .k2 = cru_fc_create(net, name[2], out, out),
                   .p1 = cru_fc_create_drawn(net, name[3], 2, out, CRU_DRAW_FAN_IN, false),
                   .p2 = cru_fc_create(net, name[4], out, out),
                   .bias = cru_net_weight(net, name[5], cru_1d(out), (cru_init){.kind = CRU_INIT_ZEROS})};
}

/* Curvature of the entries of `out`. */
static void measure(cru_learner *l, const cru_csr *out, float *curvature)
{
    const cru_csr both = cru_learner_undirected(l);
    const cru_csr g = cru_graph_loops(cru_ctx_pool(l->ctx), &both, CRU_LOOPS_REMOVE);
    float *ricci = cru_ctx_alloc(l->ctx, cru_csr_nnz(&g), sizeof *ricci);
    cru_graph_ricci(&g, 0.5, ricci);
    for (int64_t u = 0; u < out->rows; u++)
        for (int64_t e = out->offsets[u]; e < out->offsets[u + 1]; e++) {
            const int64_t at = out->ids[e] == u ? -1 : cru_csr_find(&g, u, out->ids[e]);
            curvature[e] = at < 0 ? 0 : ricci[at];
        }
}

static void embed_nodes(cru_learner *l, float *xy)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_csr out = cru_csr_transpose(cru_ctx_pool(l->ctx), &task->graph, NULL);
    int32_t *labels = cru_ctx_alloc(l->ctx, task->nodes, sizeof *labels);
    cru_rng rng = cru_ctx_stream(l->ctx, "poincare");
    for (int64_t v = 0; v < task->nodes; v++) labels[v] = -1;
    for (int64_t i = 0; i < task->split.train.count; i++)
        labels[task->split.train.ids[i]] = task->labels[task->split.train.ids[i]];
    poincare_embed(&out, &(poincare){labels, s->eta, s->negatives}, &rng, xy);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_csr turned = cru_csr_transpose(pool, &task->graph, NULL);
    const cru_csr looped = cru_graph_loops(pool, &turned, CRU_LOOPS_SET), out = cru_csr_pattern(&looped);
    const int64_t entries = cru_csr_nnz(&out);
    float *curvature = cru_ctx_alloc(l->ctx, entries, sizeof *curvature);
    float *place = cru_ctx_alloc(l->ctx, 2 * task->nodes, sizeof *place);
    m->out = cru_sparse_create(l->ctx, &out);
    m->targets = cru_index_create(l->ctx, out.ids, entries);
    measure(l, &out, curvature);
    embed_nodes(l, place);
    m->curvature = cru_tensor_from(l->ctx, cru_2d(entries, 1), curvature);
    m->place = cru_net_buffer(l->net, "place", cru_2d(task->nodes, 2), 0);
    cru_tensor_set(l->ctx, m->place, place);
    for (int i = 0; i < s->layers; i++)
        m->layer[i] = build_layer(l->net, i, i ? s->hidden : l->x.cols, i + 1 < s->layers ? s->hidden : task->classes);
}

static cru_tensor *bend(cru_tape *t, const cru_fc *first, const cru_fc *second, cru_tensor *x)
{
    return cru_fc_apply(t, second, cru_leaky_relu(t, cru_fc_apply(t, first, x), 0.2));
}

static cru_tensor *apply(cru_tape *t, const model *m, const layer *y, const cru_input *x, double loss_hp)
{
    cru_tensor *weight = cru_edge_softmax(t, m->out, bend(t, &y->k1, &y->k2, m->curvature));
    cru_tensor *sent = cru_edge_dst(t, m->out, cru_fc_input(t, &y->map, x)); /* by the row's node */
    cru_tensor *heard = cru_scatter(t, cru_mul(t, weight, sent), m->targets, m->out->csr.rows, CRU_REDUCE_SUM);
    cru_tensor *rank = cru_leaky_relu(t, bend(t, &y->p1, &y->p2, m->place), 0.01);
    return cru_plus(t, cru_add(t, heard, y->bias), loss_hp, rank);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = l->settings;
    const cru_input x = cru_input_dropout(t, &l->x, s->dropout);
    cru_tensor *h = apply(t, m, &m->layer[0], &x, s->loss_hp);
    if (s->layers == 1) return h;
    const cru_input hidden = cru_input_of(cru_dropout(t, cru_elu(t, h, 1), s->dropout));
    cru_represent(t, hidden.dense);
    return apply(t, m, &m->layer[1], &hidden, s->loss_hp);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits),
    .name = "hyperimba",
    .version = "1.0",
    .summary = "messages weighed by curvature, with a bias from a hyperbolic hierarchy",
    .citation = "Fu, Wei, Sun, Yuan, Wu, Peng, Li. Hyperbolic Geometric Graph Representation Learning for "
                "Hierarchy-imbalance Node Classification. WWW 2023.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
