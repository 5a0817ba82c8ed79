// SPDX-License-Identifier: Apache-2.0
/* Whole training steps: one epoch of training and one evaluation for graphs, one minibatch for rows and images. */
#include <crucible/csr.h>
#include <crucible/draft/nn.h>
#include <crucible/optim.h>

#include "bench.h"

typedef struct model {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
    cru_optim *optim;
    cru_sparse *adj, *train_adj; /* train_adj: its rows with labels, where the loss asks for these alone */
    cru_input x;
    cru_index rows, labels;
    cru_tensor *(*logits)(struct model *m, cru_tape *t);
    cru_gcn_stack gcn;
    cru_gat gat[2];
    cru_mlp mlp;
    cru_resnet *resnet;
    cru_fc head;
    float dropout, input_dropout;
} model;

static model *model_create(bench_job *job)
{
    model *m = bench_memory(job, sizeof *m);
    m->ctx = cru_ctx_create(&(cru_ctx_options){.seed = 1, .threads = job->device->threads});
    m->tape = cru_tape_create(m->ctx);
    m->net = cru_net_create(m->ctx, "bench");
    m->dropout = 0.5f;
    job->arg = m;
    return m;
}

static void model_finish(void *arg)
{
    cru_ctx_destroy(((model *)arg)->ctx);
}

/* Labels for every `every`-th item. */
static void choose_training(model *m, int64_t items, int64_t every, int64_t classes)
{
    int64_t count = (items + every - 1) / every;
    int32_t *rows = cru_ctx_alloc(m->ctx, count, sizeof *rows), *labels = cru_ctx_alloc(m->ctx, count, sizeof *labels);
    for (int64_t i = 0; i < count; i++) {
        rows[i] = (int32_t)(i * every);
        labels[i] = (int32_t)(i % classes);
    }
    m->rows = cru_index_create(m->ctx, rows, count);
    m->labels = cru_index_create(m->ctx, labels, count);
}

static void ready(bench_job *job, model *m, void (*run)(cru_device *device, void *arg))
{
    m->optim = cru_optim_create(m->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01, .decay = 5e-4});
    cru_optim_add(m->optim, m->net, NULL);
    job->run = run;
    job->finish = model_finish;
}

static void train_step(model *m)
{
    cru_tape_begin(m->tape, CRU_TRAIN);
    cru_targets targets = {.rows = m->train_adj ? NULL : &m->rows, .labels = m->labels};
    cru_backward(m->tape, cru_cross_entropy(m->tape, m->logits(m, m->tape), &targets));
    cru_optim_step(m->optim);
}

static void run_step(cru_device *device, void *arg)
{
    (void)device;
    train_step(arg);
}

static void run_epoch(cru_device *device, void *arg)
{
    (void)device;
    model *m = arg;
    train_step(m);
    cru_tape_begin(m->tape, CRU_EVAL);
    m->logits(m, m->tape);
}

/* ---- graphs ---------------------------------------------------------------------------------------------- */

/* `per_row` random words a row of 0/1 features; all columns, dense, when it is 0. */
static void make_features(bench_job *job, model *m, int64_t n, int64_t cols, int64_t per_row)
{
    cru_features x = {.rows = n, .cols = cols};
    if (!per_row) {
        x.dense = bench_floats(job, n * cols);
    } else {
        int64_t *offsets = bench_memory(job, (size_t)(n + 1) * sizeof *offsets);
        int32_t *ids = bench_memory(job, (size_t)(n * per_row) * sizeof *ids);
        float *values = bench_memory(job, (size_t)(n * per_row) * sizeof *values);
        cru_rng rng = cru_rng_stream(5, "bench", 0);
        for (int64_t i = 0; i < n; i++) {
            offsets[i + 1] = (i + 1) * per_row;
            int64_t step = cols / per_row;
            for (int64_t k = 0; k < per_row; k++) {
                ids[i * per_row + k] = (int32_t)(k * step + cru_rng_below(&rng, step));
                values[i * per_row + k] = 1;
            }
        }
        x.sparse = (cru_csr){.rows = n, .cols = cols, .offsets = offsets, .ids = ids, .values = values};
    }
    m->x = cru_input_create(m->ctx, &x);
}

static cru_tensor *gcn_logits(model *m, cru_tape *t)
{
    cru_input x = cru_input_dropout(t, &m->x, m->input_dropout);
    return cru_gcn_stack_rows(t, &m->gcn, m->adj, cru_tape_mode(t) == CRU_TRAIN ? m->train_adj : m->adj, &x);
}

typedef struct graph_shape {
    int64_t features, per_row, hidden, classes, every;
} graph_shape;

static graph_shape shape_of(const char *graph)
{
    switch (graph[0]) {
    case 'c':
        return (graph_shape){.features = 1433, .per_row = 18, .hidden = 16, .classes = 7, .every = 19};
    case 'p':
        return (graph_shape){.features = 745, .per_row = 261, .hidden = 16, .classes = 8, .every = 48};
    default:
        return (graph_shape){.features = 128, .hidden = 64, .classes = 40, .every = 2};
    }
}

/* A sum over neighbours: all rows of a matrix, each of some floats. */
typedef struct spread_size {
    double rows, cols, entries; /* of the matrix */
    double floats;              /* of a row that is summed */
    bench_gathered gathered;    /* bytes */
} spread_size;

static spread_size spread_of(const cru_csr *a, int64_t floats)
{
    return (spread_size){.rows = (double)a->rows,
                         .cols = (double)a->cols,
                         .entries = (double)cru_csr_nnz(a),
                         .floats = (double)floats,
                         .gathered = bench_gather(a, 4 * (double)floats)};
}

static void count_spread(bench_job *job, const spread_size *s)
{
    const double matrix = 8 * s->rows + 8 * s->entries;
    bench_gather_phase(job, matrix + 4 * s->rows * s->floats, s->gathered, 2 * s->entries * s->floats);
}

/* By the transpose, for a gradient; what is gathered, the caller knows. */
static void count_spread_back(bench_job *job, const spread_size *s, bench_gathered gathered)
{
    const double matrix = 8 * s->cols + 8 * s->entries;
    bench_gather_phase(job, matrix + 4 * s->cols * s->floats, gathered, 2 * s->entries * s->floats);
}

/* What the phases of an epoch are counted from. */
typedef struct gcn_size {
    double n, trained;                /* nodes, and those with labels */
    double in, features;              /* stored features, and their bytes */
    double hidden, classes;           /* widths */
    spread_size wide, narrow, chosen; /* over hidden rows, over class rows, over those for nodes with labels alone */
} gcn_size;

static gcn_size size_of(const cru_csr *a, const cru_csr *labelled, const graph_shape *s)
{
    const double n = (double)a->rows, in = n * (double)(s->per_row ? s->per_row : s->features);
    return (gcn_size){
        .n = n,
        .trained = (double)labelled->rows,
        .in = in,
        .features = in * (s->per_row ? 8 : 4),
        .hidden = (double)s->hidden,
        .classes = (double)s->classes,
        .wide = spread_of(a, s->hidden),
        .narrow = spread_of(a, s->classes),
        .chosen = spread_of(labelled, s->classes),
    };
}

/* `spreads`: the sum over neighbours follows the product. Without, A x was made once, for all epochs: x is constant. */
static void count_forward(bench_job *job, const gcn_size *z, const spread_size *last, bool spreads)
{
    bench_phase(job, z->features + 4 * z->n * z->hidden, 2 * z->in * z->hidden);
    if (spreads) count_spread(job, &z->wide);
    bench_phase(job, 4 * z->n * (z->hidden + z->classes), 2 * z->n * z->hidden * z->classes);
    count_spread(job, last);
}

/* Loss, its gradient spread from the nodes with labels, products of the second layer, gradient spread again, product of
 * the first. */
static void count_backward(bench_job *job, const gcn_size *z, bool spreads)
{
    bench_phase(job, 8 * z->trained * z->classes, 0);
    count_spread_back(job, &z->chosen, (bench_gathered){.memory = 4 * z->trained * z->classes});
    bench_phase(job, 4 * z->n * (2 * z->hidden + z->classes), 4 * z->n * z->hidden * z->classes);
    if (spreads) count_spread_back(job, &z->wide, z->wide.gathered);
    bench_phase(job, z->features + 4 * z->n * z->hidden, 2 * z->in * z->hidden);
}

static void count_gcn(bench_job *job, const gcn_size *z, bool sparse, bool drops_input)
{
    count_forward(job, z, &z->chosen, sparse || drops_input);
    count_backward(job, z, sparse || drops_input);
    count_forward(job, z, &z->narrow, sparse);
}

/* a: 1 for dropout between the layers only; else the classic recipe drops the input, too */
static void setup_gcn(bench_job *job, const bench_case *which)
{
    model *m = model_create(job);
    cru_csr a = bench_graph(job, which->graph);
    graph_shape s = shape_of(which->graph);
    make_features(job, m, a.rows, s.features, s.per_row);
    m->adj = cru_sparse_create(m->ctx, &a);
    const cru_gcn_shape layers = {.in = s.features,
                                  .hidden = s.hidden,
                                  .out = s.classes,
                                  .layers = 2,
                                  .draw = CRU_DRAW_GLOROT,
                                  .dropout = m->dropout};
    m->gcn = cru_gcn_stack_create(m->net, "conv", &layers);
    m->logits = gcn_logits;
    choose_training(m, a.rows, s.every, s.classes);
    const cru_csr labelled = cru_csr_rows(cru_ctx_pool(m->ctx), &a, m->rows.ids, m->rows.count);
    m->train_adj = cru_sparse_create(m->ctx, &labelled);
    m->input_dropout = which->a ? 0 : m->dropout;
    const gcn_size size = size_of(&a, &labelled, &s);
    count_gcn(job, &size, s.per_row > 0, m->input_dropout > 0);
    ready(job, m, run_epoch);
}

static cru_tensor *gat_logits(model *m, cru_tape *t)
{
    cru_tensor *h = cru_elu(t, cru_gat_input(t, &m->gat[0], m->adj, &m->x), 1);
    return cru_gat_apply(t, &m->gat[1], m->adj, cru_dropout(t, h, m->dropout));
}

static void setup_gat(bench_job *job, const bench_case *which)
{
    model *m = model_create(job);
    cru_csr a = bench_graph(job, which->graph);
    graph_shape s = shape_of(which->graph);
    make_features(job, m, a.rows, s.features, s.per_row);
    m->adj = cru_sparse_create(m->ctx, &a);
    m->gat[0] = cru_gat_create(m->net, "first", &(cru_gat_shape){.in = s.features, .out = 8, .heads = 8});
    m->gat[1] = cru_gat_create(m->net, "second", &(cru_gat_shape){.in = 64, .out = s.classes, .heads = 1});
    m->logits = gat_logits;
    choose_training(m, a.rows, s.every, s.classes);
    ready(job, m, run_epoch);
}

/* ---- rows and images ------------------------------------------------------------------------------------- */

static cru_tensor *mlp_logits(model *m, cru_tape *t)
{
    return cru_mlp_input(t, &m->mlp, &m->x);
}

/* a: batch, b: features, c: classes; hidden 500 */
static void setup_mlp(bench_job *job, const bench_case *which)
{
    model *m = model_create(job);
    make_features(job, m, which->a, which->b, 0);
    m->mlp =
        cru_mlp_create(m->net, "mlp", &(cru_mlp_shape){.in = which->b, .hidden = 500, .out = which->c, .layers = 2});
    m->logits = mlp_logits;
    choose_training(m, which->a, 1, which->c);
    double weights = 500.0 * (double)(which->b + which->c);
    const double first = 500.0 * (double)which->b, flops = (double)which->a * (6 * weights - 2 * first);
    bench_phase(job, 4 * 9 * weights, flops);
    ready(job, m, run_step);
}

static cru_tensor *resnet_logits(model *m, cru_tape *t)
{
    return cru_fc_apply(t, &m->head, cru_resnet_apply(t, m->resnet, m->x.dense));
}

/* a: batch */
static void setup_resnet(bench_job *job, const bench_case *which)
{
    model *m = model_create(job);
    cru_features x = {.rows = which->a, .cols = 3 * 32 * 32, .channels = 3, .height = 32, .width = 32};
    x.dense = bench_floats(job, x.rows * x.cols);
    m->x = cru_input_create(m->ctx, &x);
    m->resnet = cru_resnet_create(m->net, "resnet", &(cru_resnet_shape){.channels = 3, .blocks = 5, .width = 16});
    m->head = cru_fc_create(m->net, "head", cru_resnet_features(m->resnet), 10);
    m->logits = resnet_logits;
    choose_training(m, which->a, 1, 10);
    bench_phase(job, 0, 3 * 2 * 69e6 * (double)which->a); /* 69 M multiply-adds an image */
    ready(job, m, run_step);
}

const bench_case bench_epochs[] = {
    {.name = "gcn epoch cora", .setup = setup_gcn, .graph = "cora"},
    {.name = "gcn epoch photo", .setup = setup_gcn, .graph = "photo"},
    {.name = "gcn epoch arxiv", .setup = setup_gcn, .graph = "arxiv"},
    {.name = "gcn epoch cora no input dropout", .setup = setup_gcn, .graph = "cora", .a = 1},
    {.name = "gcn epoch cora no input dropout, sparse x", .setup = setup_gcn, .graph = "cora", .a = 1},
    {.name = "gcn epoch photo no input dropout", .setup = setup_gcn, .graph = "photo", .a = 1},
    {.name = "gcn epoch arxiv no input dropout", .setup = setup_gcn, .graph = "arxiv", .a = 1},
    {.name = "gat epoch cora", .setup = setup_gat, .graph = "cora"},
    {.name = "gat epoch arxiv", .setup = setup_gat, .graph = "arxiv"},
    {.name = "mlp step 128 108 16", .setup = setup_mlp, .a = 128, .b = 108, .c = 16},
    {.name = "resnet step 64", .setup = setup_resnet, .a = 64},
    {0},
};
