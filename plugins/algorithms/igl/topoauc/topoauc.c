// SPDX-License-Identifier: Apache-2.0
/* topoauc: the area under the curve of every pair of classes, whose pairs of nodes weigh by what they have in common.
 *
 *     loss = per sum over classes i != j of 1 / (n_i n_j) sum over labelled u of i and w of j of v_uw l(p_u[i] - p_w[i])
 *     v_uw = 1 - sigmoid((1 + s_uw) / (1 + c_uw))      p = softmax of the logits of a GCN or another `backbone`
 *     s_uw = sigmoid(1) |N(u) without N(w) and w|      c_uw = sigmoid(1) |N(u) and N(w)|, N: where a node points to
 *     l(d) = exp(-gamma d)    or (gamma - d)^2    or max(0, gamma - d)
 *
 * Classes i, j of which all s or all c are 0 add nothing. The study's code adds a number without gradient, which is
 * left out here. In the first `warmup` epochs the loss is the focal loss (1 - p_y)^2 CE, weighed by
 * 1 / (1 - 0.9999^n_y) scaled to mean 1 over classes. The learning rate may fall (falling-lr.h).
 *
 * Chen, Xu, Yang, Cao, Huang. A Unified Framework against Topology and Class Imbalance. ACM Multimedia 2022. */
#include <math.h>

#include <crucible/crucible.h>

#include "falling-lr.h"

enum { EXP, SQUARE, HINGE };
static const char *const losses[] = {"exp", "square", "hinge", NULL};
static const double sigmoid_1 = 0.7310585786300049;

typedef struct settings {
    falling_lr falling; /* first */
    int64_t pairs, warmup;
    double gamma, per;
    cru_encoder_settings encoder;
    const char *layers_of;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_CHOICE(settings, pairs, EXP, losses, "what a pair costs"),
    CRU_FLOAT(settings, gamma, 0.5, 0, CRU_NO_MAX, "sharpness or margin of a pair"),
    CRU_FLOAT(settings, per, 1e-3, 0, CRU_NO_MAX, "factor of the loss"),
    CRU_INT(settings, warmup, 0, 0, 1e9, "epochs with the focal loss instead"),
    FALLING_LR_SETTINGS(settings, falling, 1, 10),
    CRU_ENCODER_SETTINGS(settings, encoder, 2, 128, 0.5),
    CRU_ENCODER_PLUGIN(settings, layers_of),
    CRU_TRAIN_SETTINGS(settings, train, 500, 0.005, 0),
    CRU_END,
};

typedef struct model {
    cru_encoder encoder;
    cru_sparse *pairs;       /* labelled x labelled nodes: those of other classes, */
    cru_tensor *pair_weight; /* and v_uw / (n_i n_j) */
    cru_tensor *focal;       /* weight of every labelled node in the warm-up */
} model;

/* Out-neighbours that u and w share; `mark` holds u + 1 at those of u. */
static int64_t shared(const cru_csr *out, const int32_t *mark, int32_t u, int32_t w)
{
    int64_t count = 0;
    for (int64_t e = out->offsets[w]; e < out->offsets[w + 1]; e++) count += mark[out->ids[e]] == u + 1;
    return count;
}

/* Weights of the pairs in the order of the labelled nodes, row by row, and what each pair of classes has. */
static void weigh(cru_learner *l, float *weight, uint8_t *seen)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const cru_csr out = cru_csr_transpose(cru_ctx_pool(l->ctx), &task->graph, NULL);
    int32_t *mark = cru_ctx_alloc(l->ctx, task->nodes, sizeof *mark);
    for (int64_t i = 0; i < train.count; i++) {
        const int32_t u = train.ids[i], y = task->labels[u];
        for (int64_t e = out.offsets[u]; e < out.offsets[u + 1]; e++) mark[out.ids[e]] = u + 1;
        for (int64_t j = 0; j < train.count; j++) {
            const int32_t w = train.ids[j], other = task->labels[w];
            if (other == y) continue;
            const int64_t both = shared(&out, mark, u, w);
            const bool only_w = mark[w] == u + 1 && cru_csr_find(&out, w, w) < 0;
            const int64_t rest = out.offsets[u + 1] - out.offsets[u] - both - only_w;
            const double ratio = (1 + sigmoid_1 * (double)rest) / (1 + sigmoid_1 * (double)both);
            seen[y * task->classes + other] |= (uint8_t)((rest > 0) | (both > 0) << 1);
            *weight++ = (float)(1 - 1 / (1 + exp(-ratio)));
        }
    }
}

static void build_pairs(cru_learner *l, model *m, const cru_ids *members)
{
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    int64_t *offsets = cru_ctx_alloc(l->ctx, train.count + 1, sizeof *offsets), total = 0;
    for (int64_t i = 0; i < train.count; i++)
        offsets[i + 1] = offsets[i] + train.count - members[task->labels[train.ids[i]]].count;
    total = offsets[train.count];
    int32_t *ids = cru_ctx_alloc(l->ctx, total, sizeof *ids);
    float *weight = cru_ctx_alloc(l->ctx, total, sizeof *weight);
    uint8_t *seen = cru_ctx_alloc(l->ctx, (int64_t)task->classes * task->classes, 1);
    weigh(l, weight, seen);
    for (int64_t i = 0, e = 0; i < train.count; i++)
        for (int64_t j = 0; j < train.count; j++) {
            const int32_t y = task->labels[train.ids[i]], other = task->labels[train.ids[j]];
            if (y == other) continue;
            const double sizes = (double)members[y].count * (double)members[other].count;
            weight[e] = seen[y * task->classes + other] == 3 ? (float)((double)weight[e] / sizes) : 0;
            ids[e++] = (int32_t)j;
        }
    m->pairs =
        cru_sparse_create(l->ctx, &(cru_csr){.rows = train.count, .cols = train.count, .offsets = offsets, .ids = ids});
    m->pair_weight = cru_tensor_from(l->ctx, cru_2d(total, 1), weight);
}

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids train = task->split.train, *members = cru_class_members(cru_ctx_pool(l->ctx), task);
    m->encoder = cru_learner_encoder_of(l, l->net, &s->encoder, s->layers_of);
    build_pairs(l, m, members);
    double sum = 0;
    for (int32_t c = 0; c < task->classes; c++)
        if (members[c].count) sum += 1 / (1 - pow(0.9999, (double)members[c].count));
    float *focal = cru_ctx_alloc(l->ctx, train.count, sizeof *focal);
    for (int64_t i = 0; i < train.count; i++) {
        const double size = (double)members[task->labels[train.ids[i]]].count;
        focal[i] = (float)((double)task->classes / (1 - pow(0.9999, size)) / sum);
    }
    m->focal = cru_tensor_from(l->ctx, cru_1d(train.count), focal);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    return cru_encoder_logits(t, &m->encoder, m->encoder.adj, &l->x);
}

static cru_tensor *focal_loss(cru_tape *t, const model *m, cru_tensor *z, cru_index labels)
{
    cru_tensor *each = cru_cross_entropy_each(t, z, &(cru_targets){.labels = labels});
    cru_tensor *wrong = cru_affine(t, cru_exp(t, cru_neg(t, each)), -1, 1);
    return cru_mean(t, cru_mul(t, cru_mul(t, cru_square(t, wrong), each), m->focal), CRU_ALL);
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *all)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *z = cru_gather(t, all, l->train_rows);
    if (l->epoch < s->warmup) return focal_loss(t, m, z, l->train_labels);
    cru_tensor *p = cru_softmax(t, z, 1);
    cru_tensor *own = cru_as_matrix(t, cru_pick(t, p, l->train_labels), -1, 1);
    cru_tensor *mine = cru_edge_dst(t, m->pairs, own); /* p_u[i] and p_w[i] of every pair */
    cru_tensor *theirs = cru_sddmm(t, m->pairs, cru_one_hot(t, l->train_labels, l->task->classes), p, 1);
    cru_tensor *lead = cru_sub(t, mine, theirs), *cost = NULL;
    if (s->pairs == EXP)
        cost = cru_exp(t, cru_scale(t, lead, -s->gamma));
    else if (s->pairs == SQUARE)
        cost = cru_square(t, cru_affine(t, lead, -1, s->gamma));
    else
        cost = cru_relu(t, cru_affine(t, lead, -1, s->gamma));
    return cru_scale(t, cru_sum(t, cru_mul(t, cost, m->pair_weight), CRU_ALL), s->per);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .loss = loss,
               .after_epoch = falling_lr_after_epoch, .widen = cru_weights_only, .state = cru_no_state,
               .adjacency = CRU_AT(settings, encoder.adjacency)),
    .name = "topoauc",
    .version = "1.0",
    .summary = "AUC of pairs of classes, pairs of nodes weighed by their neighbourhoods",
    .citation = "Chen, Xu, Yang, Cao, Huang. A Unified Framework against Topology and Class Imbalance. ACM Multimedia "
                "2022.",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
