// SPDX-License-Identifier: Apache-2.0
/* dci: an encoder that first learns to tell nodes from nodes with foreign features, cluster by cluster.
 *
 *     enc: H_0 = X      H_l = ReLU((H_l-1 + mean over in-neighbours of H_l-1) W_l + b_l)      logits = H_L W_o + b_o
 *
 * Pre-training (infomax.h): P = enc(X), N = enc(X with rows permuted), D(h, s) = h^T W_d s,
 *
 *     loss = 1/C sum over clusters c of mean_i in c softplus(-D(P_i, s)) + softplus(D(N_i, s))
 *
 * in `pretrain` - 1 steps of Adam; clusters by k-means of X, and of P after every 20 steps. s = sigmoid(mean of P) over
 * all nodes (variant = bench, the study's code) or over the node's cluster (variant = paper). Then everything is
 * fine-tuned with a loss that weighs the rare class up.
 *
 * Wang, Zhang, Guo, Yin, Li, Chen. Decoupling Representation Learning and Classification for GNN-based Anomaly
 * Detection. SIGIR 2021. */
#include <stdio.h>

#include "infomax.h"

enum { EVERY = 20 };

typedef struct settings {
    int64_t layers, hidden, clusters, pretrain, variant;
    double pretrain_lr;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, layers, 2, 1, CRU_MAX_LAYERS, "convolutions", .search = CRU_ONE_OF(1, 2, 3)),
    CRU_WIDTH(settings, hidden, 32, .search = CRU_ONE_OF(16, 32, 64)),
    CRU_INT(settings, clusters, 2, 1, 1e6, "of k-means, as many as nodes at most", .search = CRU_UNIFORM(2, 30)),
    CRU_INT(settings, pretrain, 100, 1, 1e9, "steps of pre-training, and one", .search = CRU_ONE_OF(20, 50, 100)),
    CRU_FLOAT(settings, pretrain_lr, 0.001, 0, CRU_NO_MAX, "learning rate of pre-training"),
    CRU_VARIANT(settings, variant, CRU_BENCH, "compare with the mean of all nodes, or of the node's cluster"),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 0),
    CRU_CLASS_WEIGHTS(settings, train, CRU_WEIGHTS_BALANCED),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    infomax *m = self;
    const settings *s = l->settings;
    m->layers = s->layers;
    m->clusters = s->clusters < l->task->nodes ? s->clusters : l->task->nodes;
    m->own_summary = s->variant == CRU_PAPER;
    m->adj = cru_adjacency_create(l->ctx, &l->task->graph, &(cru_adjacency){CRU_LOOPS_KEEP, CRU_NORM_ROW});
    for (int64_t i = 0; i < s->layers; i++) {
        char name[32];
        snprintf(name, sizeof name, "conv%lld", (long long)i);
        m->conv[i] = cru_fc_create(l->net, name, i ? s->hidden : l->x.cols, s->hidden);
    }
    m->head = cru_fc_create(l->net, "head", s->hidden, l->task->classes);
    m->discriminator =
        cru_net_weight(l->net, "discriminator", cru_2d(s->hidden, s->hidden), (cru_init){.kind = CRU_INIT_FAN_IN});
}

static void cluster(cru_learner *l, const infomax *m, const cru_tensor *x, cru_rng *rng, int32_t *group)
{
    const cru_dense rows = {cru_tensor_rows(x), cru_tensor_cols(x), cru_tensor_host(l->tape, x)};
    cru_kmeans(&rows, &(cru_kmeans_options){.k = (int32_t)m->clusters}, rng, group, NULL);
}

static void prepare(cru_learner *l, void *self)
{
    const infomax *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->nodes;
    cru_rng order = cru_ctx_stream(l->ctx, "permutation"), starts = cru_ctx_stream(l->ctx, "clusters");
    int32_t *group = cru_ctx_alloc(l->ctx, n, sizeof *group), *permutation = cru_ctx_alloc(l->ctx, n, sizeof *group);
    cru_optim *optim = cru_optim_create(l->ctx, &(cru_optim_spec){.kind = CRU_ADAM, .lr = s->pretrain_lr});
    cru_optim_add(optim, l->net, NULL);
    cru_tape_begin(l->tape, CRU_EVAL);
    cluster(l, m, cru_input_dense(l->tape, &l->x), &starts, group);
    for (int64_t step = 1; step < s->pretrain && cru_ctx_status(l->ctx) == CRU_OK; step++) {
        cru_rng_permutation(&order, permutation, n);
        cru_tape_begin(l->tape, CRU_TRAIN);
        cru_learner_step(l, optim, infomax_loss(l->tape, m, &l->x, permutation, group));
        if (step % EVERY) continue;
        cru_tape_begin(l->tape, CRU_EVAL);
        cluster(l, m, infomax_encode(l->tape, m, &l->x), &starts, group);
    }
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    const infomax *m = self;
    return cru_fc_apply(t, &m->head, cru_represent(t, infomax_encode(t, m, &l->x)));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, infomax, .build = build, .prepare = prepare, .logits = logits,
               .widen = cru_weights_only, .state = cru_no_state),
    .name = "dci",
    .version = "1.0",
    .summary = "deep cluster infomax, then fine-tuning",
    .citation = "Wang, Zhang, Guo, Yin, Li, Chen. Decoupling Representation Learning and Classification for GNN-based "
                "Anomaly Detection. SIGIR 2021.",
    .problems = CRU_NODES | CRU_ANOMALY,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
