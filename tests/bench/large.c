// SPDX-License-Identifier: Apache-2.0
/* The largest graph of the anomaly studies: 5.8 M nodes, 73 M edges, 10 features. One epoch of training and one
 * evaluation; what matters is that it fits. And the same GCN on a graph of any size, out of a file: how cost grows with
 * edges. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <crucible/csr.h>
#include <crucible/draft/ops-basic.h>
#include <crucible/graph.h>
#include <crucible/optim.h>

#include "bench.h"

enum { NODES = 5800000, EDGES = 73000000, FEATURES = 10, HIDDEN = 32, ORDER = 2 };

typedef struct large_model {
    cru_ctx *ctx;
    cru_tape *tape;
    cru_net *net;
    cru_optim *optim;
    cru_sparse *matrix;
    cru_input x;
    cru_index rows, labels;
    cru_tensor *(*logits)(struct large_model *m, cru_tape *t);
    cru_gcn gcn[2];
    cru_fc lift[2], join, head;
} large_model;

/* A regular ring of neighbours at random distances: the same for all nodes, so that it is symmetric, has the right
 * number of entries and takes seconds to make. Every node v is joined to v +- d for each distance d. */
static cru_csr ring(bench_job *job)
{
    enum { DISTANCES = EDGES / NODES + 1, DEGREE = 2 * DISTANCES + 1 };
    int64_t *offsets = bench_memory(job, (NODES + 1) * sizeof *offsets);
    int32_t *ids = bench_memory(job, (size_t)NODES * DEGREE * sizeof *ids);
    float *values = bench_memory(job, (size_t)NODES * DEGREE * sizeof *values);
    int64_t distance[DEGREE] = {0};
    cru_rng rng = cru_rng_stream(3, "bench", 0);
    for (int64_t k = 0; k < DISTANCES; k++) {
        distance[2 * k + 1] = 1 + k * 200000 + cru_rng_below(&rng, 190000);
        distance[2 * k + 2] = NODES - distance[2 * k + 1];
    }
    for (int64_t v = 0; v < NODES; v++) {
        int32_t *row = ids + v * DEGREE;
        offsets[v + 1] = (v + 1) * DEGREE;
        for (int64_t k = 0; k < DEGREE; k++) { /* kept in order by insertion */
            int32_t u = (int32_t)((v + distance[k]) % NODES);
            int64_t at = k;
            for (; at > 0 && row[at - 1] > u; at--) row[at] = row[at - 1];
            row[at] = u;
            values[v * DEGREE + k] = 1.0f / DEGREE;
        }
    }
    return (cru_csr){.rows = NODES, .cols = NODES, .offsets = offsets, .ids = ids, .values = values};
}

static cru_tensor *gcn_logits(large_model *m, cru_tape *t)
{
    cru_tensor *h = cru_relu(t, cru_gcn_input(t, &m->gcn[0], m->matrix, &m->x));
    return cru_gcn_apply(t, &m->gcn[1], m->matrix, h);
}

/* Beta wavelets of order 2 are three polynomials of the Laplacian; followed by a linear layer over all three they are
 * one linear layer over h, L h, L^2 h, and that is how they are computed. */
static cru_tensor *bwgnn_logits(large_model *m, cru_tape *t)
{
    cru_tensor *h = cru_relu(t, cru_fc_input(t, &m->lift[0], &m->x));
    h = cru_relu(t, cru_fc_apply(t, &m->lift[1], h));
    cru_tensor *powers[ORDER + 1] = {h};
    for (int k = 1; k <= ORDER; k++) powers[k] = cru_sub(t, powers[k - 1], cru_spmm(t, m->matrix, powers[k - 1]));
    cru_tensor *joined = cru_linear_act(t, cru_concat_cols(t, powers, ORDER + 1), m->join.w, m->join.b, CRU_UNARY_RELU);
    return cru_fc_apply(t, &m->head, joined);
}

static void run_epoch(cru_device *device, void *arg)
{
    (void)device;
    large_model *m = arg;
    cru_tape_begin(m->tape, CRU_TRAIN);
    cru_targets targets = {.rows = &m->rows, .labels = m->labels};
    cru_backward(m->tape, cru_cross_entropy(m->tape, m->logits(m, m->tape), &targets));
    cru_optim_step(m->optim);
    cru_tape_begin(m->tape, CRU_EVAL);
    m->logits(m, m->tape);
}

static void finish(void *arg)
{
    cru_ctx_destroy(((large_model *)arg)->ctx);
}

/* The file that CRUCIBLE_BENCH_GRAPH names: numbers of nodes and entries, offsets, ids; with GCN weights. */
static cru_csr read_graph(bench_job *job)
{
    const char *path = getenv("CRUCIBLE_BENCH_GRAPH");
    FILE *file = path ? fopen(path, "rb") : NULL;
    int64_t size[2] = {0};
    bool whole = file && fread(size, sizeof size, 1, file) == 1;
    int64_t *offsets = bench_memory(job, (size_t)(size[0] + 1) * sizeof *offsets);
    int32_t *ids = bench_memory(job, (size_t)size[1] * sizeof *ids + 1);
    float *values = bench_memory(job, (size_t)size[1] * sizeof *values + 1);
    whole = whole && fread(offsets, sizeof *offsets, (size_t)size[0] + 1, file) == (size_t)size[0] + 1 &&
            fread(ids, sizeof *ids, (size_t)size[1], file) == (size_t)size[1];
    if (file) fclose(file);
    if (!whole) {
        fprintf(stderr, "bench: no graph in the file that CRUCIBLE_BENCH_GRAPH names\n");
        exit(1);
    }
    for (int64_t v = 0; v < size[0]; v++)
        for (int64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            const int64_t u = ids[e];
            values[e] = 1 / sqrtf((float)(offsets[v + 1] - offsets[v]) * (float)(offsets[u + 1] - offsets[u]));
        }
    return (cru_csr){.rows = size[0], .cols = size[0], .offsets = offsets, .ids = ids, .values = values};
}

static void setup(bench_job *job, const cru_csr *graph, int64_t features, bool wavelets)
{
    const int64_t nodes = graph->rows;
    large_model *m = bench_memory(job, sizeof *m);
    m->ctx = cru_ctx_create(&(cru_ctx_options){.seed = 1, .threads = job->device->threads});
    m->tape = cru_tape_create(m->ctx);
    m->net = cru_net_create(m->ctx, "large");
    m->matrix = cru_sparse_create(m->ctx, graph);
    m->x = cru_input_create(
        m->ctx, &(cru_features){.rows = nodes, .cols = features, .dense = bench_floats(job, nodes * features)});
    m->gcn[0] = cru_gcn_create(m->net, "first", features, HIDDEN);
    m->gcn[1] = cru_gcn_create(m->net, "second", HIDDEN, 2);
    m->lift[0] = cru_fc_create(m->net, "lift0", features, HIDDEN);
    m->lift[1] = cru_fc_create(m->net, "lift1", HIDDEN, HIDDEN);
    m->join = cru_fc_create(m->net, "join", (ORDER + 1) * HIDDEN, HIDDEN);
    m->head = cru_fc_create(m->net, "head", HIDDEN, 2);
    m->logits = wavelets ? bwgnn_logits : gcn_logits;
    int32_t *rows = cru_ctx_alloc(m->ctx, nodes / 2, sizeof *rows),
            *labels = cru_ctx_alloc(m->ctx, nodes / 2, sizeof *labels);
    for (int32_t i = 0; i < nodes / 2; i++) rows[i] = 2 * i, labels[i] = i % 100 == 0;
    m->rows = cru_index_create(m->ctx, rows, nodes / 2);
    m->labels = cru_index_create(m->ctx, labels, nodes / 2);
    m->optim = cru_optim_create(m->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = 0.01});
    cru_optim_add(m->optim, m->net, NULL);
    job->run = run_epoch;
    job->arg = m;
    job->finish = finish;
}

static void setup_large(bench_job *job, const bench_case *which)
{
    const cru_csr graph = ring(job);
    setup(job, &graph, FEATURES, which->a == 1);
}

static void setup_file(bench_job *job, const bench_case *which)
{
    const cru_csr graph = read_graph(job);
    setup(job, &graph, which->a, false);
}

const bench_case bench_large[] = {
    {.name = "large gcn epoch", .setup = setup_large, .a = 0},
    {.name = "large bwgnn epoch", .setup = setup_large, .a = 1},
    {.name = "large gcn epoch of a file", .setup = setup_file, .a = 32},
    {0},
};
