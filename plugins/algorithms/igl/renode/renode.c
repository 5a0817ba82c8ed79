// SPDX-License-Identifier: Apache-2.0
/* renode: labelled nodes near the border of their class count less.
 *
 *     P = a (I - (1 - a) S)^-1        S = D^-1/2 (A + I) D^-1/2, row v of A: where v points to, D: row sums
 *     G_wc = mean over labelled u of class c of P_uw             what class c sends to w
 *     t_v = sum over w of P_vw sum over c != y_v of G_wc         the conflict at v
 *     weight_v = base + scale / 2 (1 + cos(pi rank(t_v) / (|L| - 1)))      rank from 0, ties by node
 *     loss = 1 / |L| sum over labelled v of weight_v CE_v
 *
 * for the logits of a GCN, or of another `backbone`. The learning rate falls (falling-lr.h).
 *
 * Chen, Lin, Zhao, Ren, Li, Zhou, Sun. Topology-Imbalance Learning for Semi-Supervised Node Classification. NeurIPS
 * 2021. */
#include <math.h>
#include <stdlib.h>

#include <crucible/crucible.h>

#include "falling-lr.h"

typedef struct settings {
    falling_lr falling; /* first */
    double restart, base_weight, scale_weight;
    cru_encoder_settings encoder;
    const char *layers_of;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, restart, 0.15, 1e-3, 1, "of PageRank, a", .search = CRU_ONE_OF(0.05, 0.1, 0.15, 0.2)),
    CRU_FLOAT(settings, base_weight, 0.5, 0, CRU_NO_MAX, "of the node with most conflict",
              .search = CRU_ONE_OF(0.25, 0.5, 0.75)),
    CRU_FLOAT(settings, scale_weight, 1, 0, CRU_NO_MAX, "how much more the one with least conflict has",
              .search = CRU_ONE_OF(0.75, 1, 1.25)),
    FALLING_LR_SETTINGS(settings, falling, 0.95, 20),
    CRU_ENCODER_SETTINGS(settings, encoder, 2, 64, 0.5),
    CRU_ENCODER_PLUGIN(settings, layers_of),
    CRU_TRAIN_SETTINGS(settings, train, 300, 0.01, 0),
    CRU_END,
};

typedef struct model {
    cru_encoder encoder;
    cru_tensor *weights; /* one per training node */
} model;

/* Q = P G, nodes x classes: t_v is the sum of row v but for its own class. With M_uc = 1/n_c for labelled u of class c,
 * G = P^T M, so that two solves with one column per class do. */
static double *influence(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_pool pool = cru_ctx_pool(l->ctx);
    const cru_ppr_options options = {.restart = s->restart};
    const cru_csr out_edges = cru_csr_transpose(pool, &task->graph, NULL);
    const cru_csr spread = cru_graph_gcn(pool, &out_edges, CRU_LOOPS_ADD);
    const cru_csr gather = cru_csr_transpose(pool, &spread, NULL);
    double *q = cru_ctx_alloc(l->ctx, task->nodes * task->classes, sizeof *q);
    const cru_ids *members = cru_class_members(pool, task);
    for (int32_t y = 0; y < task->classes; y++)
        for (int64_t i = 0; i < members[y].count; i++)
            q[members[y].ids[i] * (int64_t)task->classes + y] = 1 / (double)members[y].count;
    cru_ppr_apply(&gather, &options, q, task->classes);
    cru_ppr_apply(&spread, &options, q, task->classes);
    return q;
}

typedef struct place {
    double conflict;
    int32_t node;
    int64_t position; /* in the training part */
} place;

static int by_conflict(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (x->conflict != y->conflict) return x->conflict < y->conflict ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static cru_tensor *weigh(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const int64_t count = task->split.train.count;
    const double *q = influence(l);
    place *order = cru_ctx_alloc(l->ctx, count, sizeof *order);
    float *weight = cru_ctx_alloc(l->ctx, count, sizeof *weight);
    for (int64_t i = 0; i < count; i++) {
        const int32_t v = task->split.train.ids[i];
        order[i] = (place){.node = v, .position = i};
        for (int32_t c = 0; c < task->classes; c++)
            if (c != task->labels[v]) order[i].conflict += q[v * task->classes + c];
    }
    qsort(order, (size_t)count, sizeof *order, by_conflict);
    for (int64_t rank = 0; rank < count; rank++) {
        const double share = count > 1 ? (double)rank / (double)(count - 1) : 0;
        weight[order[rank].position] = (float)(s->base_weight + 0.5 * s->scale_weight * (1 + cos(M_PI * share)));
    }
    return cru_tensor_from(l->ctx, cru_1d(count), weight);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->encoder = cru_learner_encoder_of(l, l->net, &s->encoder, s->layers_of);
    m->weights = weigh(l);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_encoder_logits(t, &m->encoder, m->encoder.adj, &l->x);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const cru_targets targets = {.rows = &l->train_rows, .labels = l->train_labels};
    return cru_mean(t, cru_mul(t, cru_cross_entropy_each(t, z, &targets), m->weights), CRU_ALL);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .loss = loss,
               .after_epoch = falling_lr_after_epoch, .widen = cru_weights_only, .state = cru_no_state,
               .adjacency = CRU_AT(settings, encoder.adjacency)),
    .name = "renode",
    .version = "2.0",
    .summary = "labelled nodes weighed by how much other classes reach them",
    .citation = "Chen, Lin, Zhao, Ren, Li, Zhou, Sun. Topology-Imbalance Learning for Semi-Supervised Node "
                "Classification. NeurIPS 2021.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
