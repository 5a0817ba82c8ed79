// SPDX-License-Identifier: Apache-2.0
/* g2gnn: every graph hears from the graphs most like it, and two changed copies of it must agree.
 *
 * Each graph is linked both ways to the k - 1 graphs with the nearest shortest-path kernel (graph-of-graphs.h). A batch
 * B of training graphs, of which the smaller classes are repeated up to the size of the largest, is joined by these
 * neighbours, which have no loss. For each of `copies` changes a, which drop edges and blank nodes at random:
 *
 *     h_G = mean of GNN(X_a, A_a) over G      H <- P^hops H on the links among them      p_a = softmax(MLP(H))
 *     loss = mean over a of ( -ln p_a(y) over B  +  mean over B of |p_a - s|^2 )
 *     s = sharpened mean over a of p_a: s_c ~ (mean p)_c^(1/temperature), without gradient
 *
 * GNN is a GIN or, with another `backbone`, convolutions that are activated each (the authors have three of gcn).
 *
 * A graph that stands in a batch several times is changed once. Predictions are the mean of ln p_a, in batches as in
 * training: P has columns that sum to 1, not rows, so the more graphs are joined the larger grows what a graph with
 * many links receives, and a batch of all graphs is not what the classifier has learned from.
 *
 * Wang, Zhao, Shah, Derr. Imbalanced Graph Classification via Graph-of-Graph Neural Networks. CIKM 2022. */
#include <math.h>

#include <crucible/draft/graph-kernels.h>
#include <crucible/draft/graph.h>
#include <crucible/draft/imbalance.h>
#include <crucible/draft/ops-loss.h>
#include <crucible/draft/ops-sparse.h>
#include <crucible/draft/train.h>
#include <crucible/imbalance.h>

#include "graph-encoder.h"
#include "graph-of-graphs.h"

enum { MOST_COPIES = 16 };

typedef struct settings {
    layer_choice network;
    int64_t layers, hidden, neighbours, hops, copies;
    double dropout, temperature, drop_edges, blank_nodes;
    bool labelled_kernel;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
    GRAPH_LAYER_CHOICE(settings, network),
    CRU_INT(settings, layers, 5, 1, CRU_MAX_LAYERS, "convolutions"),
    CRU_INT(settings, hidden, 128, 1, 65536, "width", .search = CRU_ONE_OF(32, 64, 128)),
    CRU_FLOAT(settings, dropout, 0.1, 0, 0.99, "in the classifier"),
    CRU_INT(settings, neighbours, 3, 1, 1000, "nearest graphs, the nearest of which is not used"),
    CRU_INT(settings, hops, 3, 0, 1000, "steps over the links between graphs"),
    CRU_INT(settings, copies, 2, 1, MOST_COPIES, "changed copies of a graph"),
    CRU_FLOAT(settings, temperature, 0.5, 1e-3, 1e3, "by which the mean prediction is sharpened"),
    CRU_FLOAT(settings, drop_edges, 0.005, 0, 1, "share of edges that a copy loses"),
    CRU_FLOAT(settings, blank_nodes, 0, 0, 1, "share of a batch's nodes whose features a copy loses"),
    CRU_BOOL(settings, labelled_kernel, true, "the kernel compares one-hot features of the ends of paths, too"),
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_KEEP, CRU_NORM_NONE, CRU_READOUT_MEAN),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 0),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    graph_encoder encoder;
    cru_fc hidden, out;
    int64_t near;          /* neighbours of a graph, */
    const int32_t *linked; /* graphs x near */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_gin_shape shape = {
        .in = task->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = s->layers, .mlp_layers = 2};
    m->encoder = graph_encoder_create_of(l->net, &s->network, &shape);
    m->hidden = cru_fc_create(l->net, "hidden", s->hidden, s->hidden);
    m->out = cru_fc_create(l->net, "out", s->hidden, task->classes);
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    const cru_ids repeated = cru_class_repeat(pool, cru_class_members(pool, task), task->classes, &m->rng);
    l->batches = cru_batches_create(l->ctx, repeated, s->graphs.batch, false);
    const int64_t k = s->neighbours < task->items ? s->neighbours : task->items;
    m->near = k - 1;
    m->linked = gog_neighbours(pool, (cru_blocks){&task->graph, task->graph_offsets}, task->items,
                               s->labelled_kernel ? cru_one_hot_labels(pool, &task->x) : NULL, k);
}

/* ---- graphs that are computed together ------------------------------------------------------------------- */

typedef struct group {
    cru_graphs graphs;
    cru_sparse *links; /* P */
    cru_index rows;    /* of the batch's graphs */
} group;

/* P over some graphs: place[g] is the place of graph g among them, -1 of others. */
static cru_csr link_group(const model *m, cru_pool pool, cru_ids graphs, const int32_t *place)
{
    int32_t *row = cru_pool_alloc(pool, 2 * graphs.count * m->near, sizeof *row);
    int32_t *col = cru_pool_alloc(pool, 2 * graphs.count * m->near, sizeof *col);
    int64_t count = 0;
    for (int32_t i = 0; i < graphs.count; i++)
        for (int64_t k = 0; k < m->near; k++) {
            const int32_t j = place[m->linked[graphs.ids[i] * m->near + k]];
            if (j < 0) continue;
            row[count] = i, col[count++] = j;
            row[count] = j, col[count++] = i;
        }
    return gog_matrix(pool, &(cru_coo){graphs.count, graphs.count, count, row, col, NULL});
}

/* The distinct graphs of a batch and their neighbours. */
static group gather_group(cru_learner *l, const model *m, cru_tape *t, cru_ids batch)
{
    const int64_t items = l->task->items;
    int32_t *place = cru_tape_alloc(t, items, sizeof *place), *ids = cru_tape_alloc(t, items, sizeof *ids);
    int32_t *rows = cru_tape_alloc(t, batch.count, sizeof *rows), count = 0;
    for (int64_t g = 0; g < items; g++) place[g] = -1;
    for (int64_t k = -1; k < m->near; k++)
        for (int64_t i = 0; i < batch.count; i++) {
            const int32_t g = k < 0 ? batch.ids[i] : m->linked[batch.ids[i] * m->near + k];
            if (place[g] < 0) ids[place[g] = count++] = g;
            if (k < 0) rows[i] = place[g];
        }
    const cru_ids chosen = {ids, count};
    const cru_csr links = link_group(m, cru_tape_pool(t), chosen, place);
    return (group){.graphs = cru_graphs_select(t, &l->graphs, chosen),
                   .links = cru_sparse_step(t, &links),
                   .rows = cru_index_step(t, rows, batch.count)};
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static cru_input blank_some(cru_tape *t, const cru_input *x, double share, cru_rng *rng)
{
    const int64_t count = (int64_t)floor(share * (double)x->rows);
    if (!count) return *x;
    int32_t *chosen = cru_tape_alloc(t, count, sizeof *chosen);
    cru_rng_choose(rng, x->rows, count, chosen);
    return cru_input_blank(t, x, cru_index_step(t, chosen, count));
}

/* ln p of every graph of the group, for one changed copy. */
static cru_tensor *predict(cru_learner *l, const model *m, cru_tape *t, const group *g, cru_rng *rng)
{
    const settings *s = l->settings;
    const cru_csr kept = cru_sample_edges(cru_tape_pool(t), &g->graphs.host, 1 - s->drop_edges, false, rng);
    const cru_input x = blank_some(t, &g->graphs.x, s->blank_nodes, rng);
    cru_tensor *h = graph_encoder_nodes(t, &m->encoder, &kept, &x);
    if (m->encoder.kind == BACKBONE_GCN) h = cru_relu(t, h); /* the others end with an activation */
    h = cru_graphs_readout(t, l, &g->graphs, h);
    h = cru_propagate(t, g->links, h, s->hops);
    h = cru_dropout(t, cru_relu(t, cru_fc_apply(t, &m->hidden, h)), s->dropout);
    return cru_log_softmax(t, cru_fc_apply(t, &m->out, cru_represent(t, h)), 1);
}

typedef struct evaluation {
    const model *model;
    cru_rng rng;
} evaluation;

/* The mean of ln p_a of the graphs of a batch. */
static cru_tensor *judge(cru_learner *l, void *user, cru_tape *t, cru_ids batch)
{
    evaluation *e = user;
    const settings *s = l->settings;
    const group g = gather_group(l, e->model, t, batch);
    cru_tensor *sum = predict(l, e->model, t, &g, &e->rng);
    for (int64_t a = 1; a < s->copies; a++) sum = cru_add(t, sum, predict(l, e->model, t, &g, &e->rng));
    cru_represent(t, cru_gather(t, cru_represented(t), g.rows)); /* of the last copy */
    return cru_scale(t, cru_gather(t, sum, g.rows), 1 / (double)s->copies);
}

/* Every evaluation draws the same changes. */
static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return cru_graphs_in_turn(l, t, judge, &(evaluation){m, cru_rng_split(&m->rng, 0)});
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    const group g = gather_group(l, m, t, batch->items);
    const cru_targets targets = {.labels = cru_learner_labels(l, t, batch->items)};
    cru_tensor *p[MOST_COPIES], *mean = NULL, *total = NULL;
    for (int64_t a = 0; a < s->copies; a++) {
        cru_tensor *log_p = cru_gather(t, predict(l, m, t, &g, &m->rng), g.rows), *loss = cru_nll(t, log_p, &targets);
        p[a] = cru_exp(t, log_p);
        mean = a ? cru_add(t, mean, p[a]) : p[a];
        total = a ? cru_add(t, total, loss) : loss;
    }
    /* the factor 1/copies of the mean goes when it is normalised */
    cru_tensor *sharp = cru_normalize_l1(t, cru_pow(t, cru_detach(t, mean), 1 / s->temperature), 1e-30);
    for (int64_t a = 0; a < s->copies; a++) {
        cru_tensor *gap = cru_square(t, cru_sub(t, p[a], sharp));
        total = cru_add(t, total, cru_mean(t, cru_sum(t, gap, 1), CRU_ALL));
    }
    return cru_scale(t, total, 1 / (double)s->copies);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .batch_loss = batch_loss,
               .graphs = CRU_AT(settings, graphs)),
    .name = "g2gnn",
    .version = "2.0",
    .summary = "a graph of graphs, and copies that must agree",
    .citation =
        "Wang, Zhao, Shah, Derr. Imbalanced Graph Classification via Graph-of-Graph Neural Networks. CIKM 2022.",
    .problems = CRU_GRAPHS,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
