// SPDX-License-Identifier: Apache-2.0
/* dpgnn: classes are prototypes, and every class asks one question per step.
 *
 *     e = conv(Drop(act(conv(X))))      scores from prototypes of e (prototypes.h); convolutions of a GCN or of another
 *                                       `backbone` (encoder.h)
 *     L = NLL of one query per class + lamb1 overlap of prototypes + lamb2 roughness of g(e) along edges
 *
 * In every epoch one random training node of each class is the query and the others are its support (a class of one
 * node has it as both). Before training, labels are spread `steps` times; nodes more confident than eta join the
 * training nodes:
 *     H = one-hot |L| / n_y of labelled nodes; H_v <- sum over in-neighbours u of H_u / d_u
 *     confidence = (max H_v - mean of the others) / mean H_v
 *
 * Prediction takes the means of all training nodes as prototypes.
 *
 * Wang, Aggarwal, Derr. Distance-wise Prototypical Graph Neural Network for Imbalanced Node Classification.
 * arXiv 2110.12035, 2021. */
#include <math.h>

#include <crucible/imbalance.h>

#include "layer-choice.h"
#include "prototypes.h"

typedef struct settings {
    layer_choice network;
    int64_t hidden, steps;
    double dropout, eta, lamb1, lamb2;
    cru_train train;
} settings;

static const cru_param schema[] = {
    ENCODER_CHOICE(settings, network),
    CRU_WIDTH(settings, hidden, 256, .search = CRU_ONE_OF(32, 64, 128)),
    CRU_DROPOUT(settings, dropout, 0.5),
    CRU_INT(settings, steps, 20, 0, 1e6, "of spreading labels"),
    CRU_FLOAT(settings, eta, 3, 0, CRU_NO_MAX, "confidence from which a node joins the training nodes",
              .search = CRU_ONE_OF(0, 1, 2, 3, 4, 5, 6)),
    CRU_FLOAT(settings, lamb1, 10, 0, CRU_NO_MAX, "weight of the overlap", .search = CRU_ONE_OF(1, 10)),
    CRU_FLOAT(settings, lamb2, 20, 0, CRU_NO_MAX, "weight of the roughness", .search = CRU_ONE_OF(1, 10)),
    CRU_TRAIN_SETTINGS(settings, train, 3000, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_rng rng;
    cru_sparse *adj, *edges;
    cru_tensor *scale; /* 1 / sqrt d */
    const cru_encoder_kind *kind;
    void *conv0, *conv1;
    cru_fc distance;
    support all;    /* training nodes and those that joined, class by class, */
    int64_t *first; /* classes + 1: where each class begins */
} model;

/* Labelled nodes keep their labels; others get one when they are sure enough. */
static void enlarge(cru_learner *l, model *m)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const int64_t n = task->nodes, k = task->classes;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_ids *members = cru_class_members(pool, task);
    const cru_csr g = cru_graph_loops(pool, &task->graph, CRU_LOOPS_REMOVE);
    double *h = cru_ctx_alloc(l->ctx, n * k, sizeof *h);
    int32_t *label = cru_ctx_alloc(l->ctx, n, sizeof *label), best;
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t v = train.ids[i], y = task->labels[v];
        h[v * k + y] = (double)train.count / (double)members[y].count;
    }
    propagate_labels(pool, &g, h, k, s->steps);
    for (int64_t v = 0; v < n; v++) label[v] = label_confidence(&h[v * k], k, &best) > s->eta ? best : -1;
    for (int64_t i = 0; i < train.count; i++) label[train.ids[i]] = task->labels[train.ids[i]];
    m->first = cru_ctx_alloc(l->ctx, k + 1, sizeof *m->first);
    m->all = (support){cru_ctx_alloc(l->ctx, n, sizeof(int32_t)), cru_ctx_alloc(l->ctx, n, sizeof(int32_t)), 0};
    for (int32_t c = 0; c < k; c++) {
        for (int32_t v = 0; v < n; v++) {
            if (label[v] != c) continue;
            m->all.classes[m->all.count] = c;
            m->all.nodes[m->all.count++] = v;
        }
        m->first[c + 1] = m->all.count;
    }
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->nodes, k = l->task->classes;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    cru_net *head = cru_learner_net(l, "head");
    const cru_csr looped = cru_graph_loops(pool, &l->task->graph, CRU_LOOPS_FILL);
    m->rng = cru_ctx_stream(l->ctx, "sampling");
    m->kind = layer_choice_kind(l->ctx, &s->network);
    const cru_adjacency of_gcn = {CRU_LOOPS_FILL, CRU_NORM_SYM};
    const bool gcn = m->kind == cru_encoder_kind_of(CRU_ENCODER_GCN);
    m->adj = cru_adjacency_create(l->ctx, &l->task->graph, gcn ? &of_gcn : &m->kind->adjacency);
    m->edges = cru_sparse_create(l->ctx, &l->task->graph);
    float *scale = cru_ctx_alloc(l->ctx, n, sizeof *scale);
    for (int64_t v = 0; v < n; v++) scale[v] = (float)(1 / sqrt((double)(looped.offsets[v + 1] - looped.offsets[v])));
    m->scale = cru_tensor_from(l->ctx, cru_2d(n, 1), scale);
    m->conv0 = m->kind->create(l->net, "conv0", l->x.cols, s->hidden);
    m->conv1 = m->kind->create(head, "conv1", s->hidden, s->hidden);
    m->distance = cru_fc_create(head, "distance", s->hidden * k, k);
    l->optim = cru_learner_optim(l, &l->net, 1);
    cru_optim_add(l->optim, head, &(cru_optim_group){.own_decay = true});
    enlarge(l, m);
}

static cru_tensor *encode(cru_learner *l, const model *m, cru_tape *t)
{
    const settings *s = l->settings;
    cru_tensor *h = cru_activate(t, m->kind->activation, m->kind->apply(t, m->conv0, m->adj, &l->x));
    const cru_input hidden = cru_input_of(cru_dropout(t, h, s->dropout));
    return m->kind->apply(t, m->conv1, m->adj, &hidden);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const model *m = self;
    cru_tensor *e = cru_represent(t, encode(l, m, t));
    const prototypes p = prototypes_create(t, e, &m->all, &m->distance);
    return prototypes_scores(t, &p, e);
}

/* One query of every class that has nodes; the rest is support. */
static void draw(model *m, cru_tape *t, int64_t classes, support *query, support *rest)
{
    *rest = (support){cru_tape_alloc(t, m->all.count, sizeof(int32_t)),
                      cru_tape_alloc(t, m->all.count, sizeof(int32_t)), 0};
    *query = (support){cru_tape_alloc(t, classes, sizeof(int32_t)), cru_tape_alloc(t, classes, sizeof(int32_t)), 0};
    for (int32_t c = 0; c < classes; c++) {
        const int64_t from = m->first[c], count = m->first[c + 1] - from;
        const int64_t asked = count ? from + cru_rng_below(&m->rng, count) : -1;
        for (int64_t i = from; i < from + count; i++) {
            if (i == asked) query->classes[query->count] = c, query->nodes[query->count++] = m->all.nodes[i];
            if (i != asked || count == 1) rest->classes[rest->count] = c, rest->nodes[rest->count++] = m->all.nodes[i];
        }
    }
}

static double epoch(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tape *t = l->tape;
    support query, rest;
    cru_tape_begin(t, CRU_TRAIN);
    draw(m, t, l->task->classes, &query, &rest);
    cru_tensor *e = encode(l, m, t);
    const prototypes p = prototypes_create(t, e, &rest, &m->distance);
    cru_tensor *asked = cru_gather(t, e, cru_index_step(t, query.nodes, query.count));
    const cru_targets targets = {.labels = cru_index_step(t, query.classes, query.count)};
    cru_tensor *loss = cru_cross_entropy(t, prototypes_scores(t, &p, asked), &targets);
    loss = cru_plus(t, loss, s->lamb1, prototypes_overlap(t, &p));
    cru_tensor *placed = prototypes_place(t, &p, e);
    if (cru_csr_nnz(&m->edges->csr))
        loss = cru_plus(t, loss, s->lamb2, prototypes_roughness(t, placed, m->edges, m->scale));
    return cru_learner_step(l, l->optim, loss);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .epoch = epoch,
               .state = cru_no_state),
    .name = "dpgnn",
    .version = "1.0",
    .summary = "prototypes of classes, asked for one node of each class in every step",
    .citation = "Wang, Aggarwal, Derr. Distance-wise Prototypical Graph Neural Network for Imbalanced Node "
                "Classification. arXiv 2110.12035, 2021.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
