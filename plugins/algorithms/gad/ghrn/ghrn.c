// SPDX-License-Identifier: Apache-2.0
/* ghrn: bwgnn on a graph without the edges whose ends have opposed high-pass signals.
 *
 *     r = x - D_in^-1/2 A D_out^-1/2 x      score(u -> v) = < r_u, r_v >
 *
 * Once, on the raw features, the share `remove` of all edges with the smallest scores goes; then every node has one
 * self-loop, and bwgnn (wavelet-net.h) learns. Of equal scores the edge with the smaller source, then destination, goes
 * first. The paper takes scores from predictions and repeats; the anomaly study does not. The loss weighs the rare
 * class up.
 *
 * Gao, Wang, He, Liu, Feng, Zhang. Addressing Heterophily in Graph Anomaly Detection: A Perspective of Graph Spectrum.
 * WWW 2023. */
#include <math.h>

#include "prune.h"
#include "wavelet-net.h"

typedef struct settings {
    wavelet_settings net;
    double remove;
    cru_train train;
} settings;

static const cru_param schema[] = {
    WAVELET_SETTINGS(settings, net),
    CRU_FLOAT(settings, remove, 0.015, 0, 1, "share of the edges", .search = CRU_LOG_UNIFORM(0.01, 0.1)),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

typedef struct model {
    wavelet_net net;
    cru_sparse *adj;
} model;

/* The score of every edge. */
static double *edge_scores(cru_learner *l)
{
    const int64_t edges = cru_csr_nnz(&l->task->graph);
    cru_sparse *spread =
        cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){CRU_LOOPS_KEEP, CRU_NORM_IN_OUT});
    double *score = cru_ctx_alloc(l->ctx, edges, sizeof *score);
    cru_tape_begin(l->tape, CRU_EVAL);
    cru_tensor *x = cru_input_dense(l->tape, &l->x);
    cru_tensor *r = cru_sub(l->tape, x, cru_spmm(l->tape, spread, x));
    const float *product = cru_tensor_host(l->tape, cru_sddmm(l->tape, spread, r, r, 1));
    for (int64_t e = 0; e < edges; e++) score[e] = (double)product[e];
    return score;
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_csr *graph = &l->task->graph;
    const int64_t count = (int64_t)floor(s->remove * (double)cru_csr_nnz(graph));
    cru_csr pruned = prune_edges(l->ctx, graph, edge_scores(l), count);
    m->adj = cru_adjacency_create(l->ctx, &pruned, &(cru_adjacency){CRU_LOOPS_SET, CRU_NORM_SYM});
    m->net = wavelet_net_create(l, &s->net);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    return wavelet_net_logits(t, &m->net, m->adj, &l->x, 0);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .logits = logits),
    .name = "ghrn",
    .version = "1.0",
    .summary = "Beta wavelets on a graph without its most heterophilic edges",
    .citation = "Gao, Wang, He, Liu, Feng, Zhang. Addressing Heterophily in Graph Anomaly Detection: A Perspective of "
                "Graph Spectrum. WWW 2023.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
