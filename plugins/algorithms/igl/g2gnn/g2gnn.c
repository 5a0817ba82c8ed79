/* g2gnn: every graph hears from the graphs most like it, and two changed copies of it must agree.
 *
 * Each graph is linked both ways to the k - 1 graphs with the nearest shortest-path kernel (graph-of-graphs.h). A batch
 * B of training graphs, of which the smaller classes are repeated up to the size of the largest, is joined by these
 * neighbours, which have no loss. For each of `copies` changes a, which drop edges and blank nodes at random:
 *
 *     h_G = mean of GIN(X_a, A_a) over G      H <- P^hops H on the links among them      p_a = softmax(MLP(H))
 *     loss = mean over a of ( -ln p_a(y) over B  +  mean over B of |p_a - s|^2 )
 *     s = sharpened mean over a of p_a: s_c ~ (mean p)_c^(1/temperature), without gradient
 *
 * A graph that stands in a batch several times is changed once. Predictions are the mean of ln p_a, in batches as in
 * training: P has columns that sum to 1, not rows, so the more graphs are joined the larger grows what a graph with
 * many links receives, and a batch of all graphs is not what the classifier has learned from.
 *
 * Wang, Zhao, Shah, Derr. Imbalanced Graph Classification via Graph-of-Graph Neural Networks. CIKM 2022. */
#include <math.h>
#include <stdio.h>

#include <crucible/imbalance.h>

#include "graph-of-graphs.h"

enum { PROBLEMS = CRU_GRAPHS, MOST_COPIES = 16 };

typedef struct settings {
    int64_t layers, hidden, neighbours, hops, copies;
    double dropout, temperature, drop_edges, blank_nodes;
    bool labelled_kernel;
    cru_graph_settings graphs;
    cru_train train;
} settings;

static const cru_param schema[] = {
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
    CRU_GRAPH_SETTINGS(settings, graphs, CRU_LOOPS_KEEP, CRU_NORM_COL + 1),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 0),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_rng rng;
    cru_gin conv[CRU_MAX_LAYERS];
    cru_fc hidden, out;
    cru_batches batches;   /* of the training graphs, repeated */
    int64_t near;          /* neighbours of a graph, */
    const int32_t *linked; /* graphs x near */
    cru_ids judged;        /* all graphs in the order of evaluation: validation, test, others, */
    int64_t ends[3];       /* where these parts end */
} model;

/* Graphs that are computed together. */
typedef struct group {
    cru_graphs graphs;
    cru_sparse *links; /* P */
} group;

/* ---- set-up ---------------------------------------------------------------------------------------------- */

/* Where the features of a node are largest, the first of equals. */
static int32_t *node_labels(const model *m)
{
    const cru_features *x = &m->base.task->x;
    int32_t *label = cru_ctx_alloc(m->base.ctx, x->rows, sizeof *label);
    for (int64_t v = 0; v < x->rows; v++) {
        float best = 0;
        for (int64_t k = x->dense ? 0 : x->sparse.offsets[v]; k < (x->dense ? x->cols : x->sparse.offsets[v + 1]);
             k++) {
            const float value = x->dense ? x->dense[v * x->cols + k] : x->sparse.values ? x->sparse.values[k] : 1;
            if (value <= best) continue;
            best = value;
            label[v] = x->dense ? (int32_t)k : x->sparse.ids[k];
        }
    }
    return label;
}

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

static void order_judged(model *m)
{
    const cru_task *task = m->base.task;
    const cru_ids part[] = {task->split.val, task->split.test};
    int32_t *order = cru_ctx_alloc(m->base.ctx, task->items, sizeof *order), count = 0;
    int32_t *place = cru_ctx_alloc(m->base.ctx, task->items, sizeof *place);
    for (int64_t g = 0; g < task->items; g++) place[g] = -1;
    for (int p = 0; p < 2; p++) {
        for (int64_t i = 0; i < part[p].count; i++)
            if (place[part[p].ids[i]] < 0) order[place[part[p].ids[i]] = count++] = part[p].ids[i];
        m->ends[p] = count;
    }
    for (int32_t g = 0; g < task->items; g++)
        if (place[g] < 0) order[place[g] = count++] = g;
    m->ends[2] = count;
    m->judged = (cru_ids){order, count};
}

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    const cru_task *task = m->base.task;
    cru_ctx *ctx = m->base.ctx;
    cru_mlp_shape shape = {.in = task->x.cols, .hidden = s->hidden, .out = s->hidden, .layers = 2, .batch_norm = true};
    for (int64_t i = 0; i < s->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "conv%lld", (long long)i);
        m->conv[i] = cru_gin_create(m->base.net, name, &shape, false);
        shape.in = s->hidden;
    }
    m->hidden = cru_fc_create(m->base.net, "hidden", s->hidden, s->hidden);
    m->out = cru_fc_create(m->base.net, "out", s->hidden, task->classes);
    m->rng = cru_ctx_stream(ctx, "sampling");
    const cru_ids repeated =
        cru_class_repeat(cru_ctx_pool(ctx), cru_class_members(cru_ctx_pool(ctx), task), task->classes, &m->rng);
    m->batches = cru_batches_create(ctx, repeated, s->graphs.batch, false);
    const int64_t k = s->neighbours < task->items ? s->neighbours : task->items;
    m->near = k - 1;
    m->linked = gog_neighbours(cru_ctx_pool(ctx), (cru_blocks){&task->graph, task->graph_offsets}, task->items,
                               s->labelled_kernel ? node_labels(m) : NULL, k);
    order_judged(m);
    return cru_ctx_status(ctx);
}

/* ---- the network ----------------------------------------------------------------------------------------- */

static cru_input blank(cru_tape *t, const cru_input *x, double share, cru_rng *rng)
{
    const int64_t count = (int64_t)floor(share * (double)x->rows);
    if (!count) return *x;
    int32_t *chosen = cru_tape_alloc(t, count, sizeof *chosen);
    cru_rng_choose(rng, x->rows, count, chosen);
    cru_tensor *gone = cru_mask(t, cru_index_step(t, chosen, count), x->rows);
    return cru_input_of(cru_mul(t, cru_input_dense(t, x), cru_as_matrix(t, cru_affine(t, gone, -1, 1), x->rows, 1)));
}

/* ln p of every graph of the group, for one changed copy. */
static cru_tensor *predict(const model *m, cru_tape *t, const group *g, cru_rng *rng)
{
    const settings *s = m->base.settings;
    const cru_csr kept = cru_sample_edges(cru_tape_pool(t), &g->graphs.host, 1 - s->drop_edges, false, rng);
    const cru_input x = blank(t, &g->graphs.x, s->blank_nodes, rng);
    cru_sparse *adj = cru_sparse_step(t, &kept);
    cru_tensor *h = cru_relu(t, cru_gin_input(t, &m->conv[0], adj, &x));
    for (int64_t i = 1; i < s->layers; i++) h = cru_relu(t, cru_gin_apply(t, &m->conv[i], adj, h));
    h = cru_segment(t, h, g->graphs.offsets, g->graphs.count, CRU_REDUCE_MEAN);
    for (int64_t i = 0; i < s->hops; i++) h = cru_spmm(t, g->links, h);
    h = cru_dropout(t, cru_relu(t, cru_fc_apply(t, &m->hidden, h)), (float)s->dropout);
    return cru_log_softmax(t, cru_fc_apply(t, &m->out, h), 1);
}

/* ---- batches --------------------------------------------------------------------------------------------- */

/* The distinct graphs of a batch and their neighbours; rows: the places of the batch's graphs among them. */
static group gather_group(const model *m, cru_tape *t, cru_ids batch, int32_t *rows)
{
    const int64_t items = m->base.task->items;
    int32_t *place = cru_tape_alloc(t, items, sizeof *place), *ids = cru_tape_alloc(t, items, sizeof *ids);
    int32_t count = 0;
    for (int64_t g = 0; g < items; g++) place[g] = -1;
    for (int64_t k = -1; k < m->near; k++)
        for (int64_t i = 0; i < batch.count; i++) {
            const int32_t g = k < 0 ? batch.ids[i] : m->linked[batch.ids[i] * m->near + k];
            if (place[g] < 0) ids[place[g] = count++] = g;
            if (k < 0) rows[i] = place[g];
        }
    const cru_ids chosen = {ids, count};
    const cru_csr links = link_group(m, cru_tape_pool(t), chosen, place);
    return (group){cru_graphs_select(t, &m->base.graphs, chosen), cru_sparse_step(t, &links)};
}

/* The mean of ln p_a of the graphs of a batch. */
static cru_tensor *judge(const model *m, cru_tape *t, cru_ids batch, cru_rng *rng)
{
    const settings *s = m->base.settings;
    int32_t *rows = cru_tape_alloc(t, batch.count, sizeof *rows);
    const group g = gather_group(m, t, batch, rows);
    cru_tensor *sum = predict(m, t, &g, rng);
    for (int64_t a = 1; a < s->copies; a++) sum = cru_add(t, sum, predict(m, t, &g, rng));
    return cru_scale(t, cru_gather(t, sum, cru_index_step(t, rows, batch.count)), 1 / (float)s->copies);
}

/* The same changes in every evaluation. */
static cru_tensor *logits(void *self, cru_tape *t)
{
    const model *m = self;
    const settings *s = m->base.settings;
    const int64_t items = m->base.task->items, parts = m->base.validation_only ? 1 : 3, end = m->ends[parts - 1];
    cru_rng rng = cru_rng_split(&m->rng, 0);
    cru_tensor **batch = cru_tape_alloc(t, items / s->graphs.batch + parts, sizeof *batch), *z;
    int64_t batches = 0;
    for (int64_t part = 0, from = 0; part < parts; part++)
        for (int64_t to; from < m->ends[part]; from = to) {
            to = from + s->graphs.batch < m->ends[part] ? from + s->graphs.batch : m->ends[part];
            batch[batches++] = judge(m, t, (cru_ids){m->judged.ids + from, to - from}, &rng);
        }
    if (!batches) return cru_tensor_filled(t, 2, (const int64_t[]){items, m->base.task->classes}, 0);
    z = batches > 1 ? cru_concat_rows(t, batch, batches) : batch[0];
    return cru_scatter(t, z, cru_index_step(t, m->judged.ids, end), items, CRU_REDUCE_SUM);
}

/* ---- training -------------------------------------------------------------------------------------------- */

static cru_tensor *batch_loss(model *m, cru_tape *t, cru_ids batch)
{
    const settings *s = m->base.settings;
    int32_t *rows = cru_tape_alloc(t, batch.count, sizeof *rows),
            *labels = cru_tape_alloc(t, batch.count, sizeof *labels);
    const group g = gather_group(m, t, batch, rows);
    for (int64_t i = 0; i < batch.count; i++) labels[i] = m->base.task->labels[batch.ids[i]];
    const cru_index chosen = cru_index_step(t, rows, batch.count), classes = cru_index_step(t, labels, batch.count);
    cru_tensor *p[MOST_COPIES], *mean = NULL, *total = NULL;
    for (int64_t a = 0; a < s->copies; a++) {
        cru_tensor *log_p = cru_gather(t, predict(m, t, &g, &m->rng), chosen);
        cru_tensor *loss = cru_nll(t, log_p, &(cru_targets){.labels = classes});
        p[a] = cru_exp(t, log_p);
        mean = a ? cru_add(t, mean, p[a]) : p[a];
        total = a ? cru_add(t, total, loss) : loss;
    }
    /* the factor 1/copies of the mean goes when it is normalised */
    cru_tensor *sharp = cru_normalize_l1(t, cru_pow(t, cru_detach(t, mean), (float)(1 / s->temperature)), 1e-30f);
    for (int64_t a = 0; a < s->copies; a++) {
        cru_tensor *gap = cru_square(t, cru_sub(t, p[a], sharp));
        total = cru_add(t, total, cru_mean(t, cru_sum(t, gap, 1), CRU_ALL));
    }
    return cru_scale(t, total, 1 / (float)s->copies);
}

static cru_status epoch(void *self, double *loss)
{
    model *m = self;
    cru_tape *t = m->base.tape;
    const int64_t steps = cru_batches_per_pass(&m->batches);
    double sum = 0;
    for (int64_t i = 0; i < steps; i++) {
        cru_tape_begin(t, CRU_TRAIN);
        cru_tensor *total = batch_loss(m, t, cru_batches_next(&m->batches));
        if (cru_ctx_status(m->base.ctx)) return cru_ctx_status(m->base.ctx);
        sum += cru_learner_step(&m->base, m->base.optim, total);
    }
    *loss = sum / (double)steps;
    return CRU_OK;
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .labelled = true,
                                  .build = build,
                                  .logits = logits,
                                  .epoch = epoch,
                                  .graphs = offsetof(settings, graphs),
                                  .widen = cru_weights_only};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "g2gnn",
    .version = "1.0",
    .summary = "a graph of graphs, and copies that must agree",
    .citation =
        "Wang, Zhao, Shah, Derr. Imbalanced Graph Classification via Graph-of-Graph Neural Networks. CIKM 2022.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
