// SPDX-License-Identifier: Apache-2.0
/* unionnet: weigh and correct labels by those of a node's context.
 *
 * paper: the context of a training node i is the labelled nodes j met on random walks from it; with h the hidden values
 *     a_ij = softmax over j of h_i . h_j      P_i(c) = sum of a_ij over j labelled c      c_i = argmax P_i
 *     loss = (1 - alpha) mean P_i(y_i) CE(z_i, y_i) + alpha mean P_i(c_i) CE(z_i, c_i) + beta KL(q || mean p)
 * after some epochs of plain cross-entropy; q are the frequencies of the labels, p the predictions. P has no gradient.
 *
 * bench: the benchmark looks its contexts up in a table by node where positions in the training part were stored, and
 * what remains is a constant:
 *     loss = alpha kappa mean CE      kappa = pi |{n in train: label = c}|
 *     pi = exp(S_0 . x) / sum_j exp(S_j . x), x the features of the first training node T[0], S_j the features
 *     that the table holds for T[j], c the label that it holds for T[0]
 * Position q of the table holds the neighbour of node q with the largest inner product of features, unless T[q] is node
 * 0 or q has no neighbour: then zeros and label 0. A neighbour whose label is hidden counts as label 0. That is one
 * neighbour a node: the benchmark's code has a setting for more, and works with one only.
 *
 * Li, Yin, Chen. Unified Robust Training for Graph Neural Networks against Label Noise. PAKDD 2021. */
#include <math.h>

#include "noisy-labels.h"

enum { NOBODY = -1 };

typedef struct settings {
    int64_t variant, pretrain, walks, walk_length;
    double alpha, beta;
    cru_gcn_settings gcn;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_VARIANT(settings, variant, CRU_BENCH, "bench: cross-entropy times a constant"),
    CRU_FLOAT(settings, alpha, 0.5, 0, 1, "weight of the corrected labels; bench: of the loss",
              .search = CRU_ONE_OF(0.1, 0.5, 1)),
    CRU_FLOAT(settings, beta, 0.5, 0, CRU_NO_MAX, "paper: weight of the prior", .search = CRU_ONE_OF(0.1, 0.5, 1)),
    CRU_INT(settings, pretrain, 50, 0, 1e9, "paper: first epochs with plain cross-entropy"),
    CRU_INT(settings, walks, 10, 1, 10000, "paper: random walks from each training node"),
    CRU_INT(settings, walk_length, 10, 1, 10000, "paper: steps of a walk"),
    CRU_GCN_SETTINGS(settings, gcn, 2, 64, 0.5),
    CRU_TRAIN_SETTINGS(settings, train, 200, 0.01, 5e-4),
    CRU_END,
};

typedef struct model {
    cru_gcn_stack gcn;
    cru_gcn_pass pass;   /* of the step under way */
    double scale;        /* bench: alpha kappa */
    cru_sparse *context; /* paper: training positions x training positions */
} model;

/* ---- bench ----------------------------------------------------------------------------------------------- */

/* The node that position q of the table holds. */
static int32_t table_entry(const cru_task *task, int64_t q)
{
    const cru_ids train = task->split.train;
    const cru_csr *g = &task->graph;
    int32_t best = NOBODY;
    double largest = -INFINITY;
    if (q >= train.count || train.ids[q] == 0) return NOBODY;
    for (int64_t e = g->offsets[q]; e < g->offsets[q + 1]; e++) {
        const double product = cru_features_dot(&task->x, g->ids[e], q);
        if (product <= largest) continue;
        largest = product;
        best = g->ids[e];
    }
    return best;
}

/* In float, whose overflow is the benchmark's: an infinite sum makes kappa 0, so that weights only decay, and an
 * infinite S_0 . x makes it, and all weights after the first step, NaN. */
static float kappa(const cru_task *task)
{
    const cru_ids train = task->split.train;
    float first = 0, sum = 0;
    for (int64_t j = 0; j < train.count; j++) {
        const int32_t held = table_entry(task, train.ids[j]);
        const float e = held == NOBODY ? 1 : expf((float)cru_features_dot(&task->x, held, train.ids[0]));
        if (j == 0) first = e;
        sum += e;
    }
    const int32_t held = table_entry(task, train.ids[0]);
    const int32_t label = held == NOBODY || task->labels[held] == CRU_UNLABELLED ? 0 : task->labels[held];
    int64_t count = 0;
    for (int64_t j = 0; j < train.count; j++) count += task->labels[train.ids[j]] == label;
    return first / sum * (float)count;
}

/* ---- paper ----------------------------------------------------------------------------------------------- */

/* Who meets whom on the walks, by training position; a node that meets nobody keeps its own label. */
static cru_sparse *contexts(cru_learner *l)
{
    const settings *s = l->settings;
    const cru_task *task = l->task;
    const cru_ids train = task->split.train;
    const int64_t steps = s->walk_length + 1, count = train.count * s->walks;
    cru_ctx *ctx = l->ctx;
    int32_t *position = cru_ctx_alloc(ctx, task->nodes, sizeof *position); /* + 1; 0: not a training node */
    int32_t *starts = cru_ctx_alloc(ctx, count, sizeof *starts), *met = cru_ctx_alloc(ctx, count * steps, sizeof *met);
    int32_t *row = cru_ctx_alloc(ctx, count * steps + train.count, sizeof *row);
    int32_t *col = cru_ctx_alloc(ctx, count * steps + train.count, sizeof *col);
    for (int64_t i = 0; i < train.count; i++) position[train.ids[i]] = (int32_t)i + 1;
    for (int64_t i = 0; i < count; i++) starts[i] = train.ids[i / s->walks];
    cru_rng rng = cru_ctx_stream(ctx, "sampling");
    cru_walk_uniform(&task->graph, (cru_ids){starts, count}, (int32_t)s->walk_length, &rng, met);
    int64_t entries = 0;
    for (int32_t i = 0; i < train.count; i++) {
        const int64_t before = entries;
        for (int64_t k = i * s->walks * steps; k < (i + 1) * s->walks * steps; k++) {
            if (!position[met[k]] || met[k] == train.ids[i]) continue;
            row[entries] = i;
            col[entries++] = position[met[k]] - 1;
        }
        if (entries == before) row[entries] = col[entries] = i, entries++;
    }
    const cru_coo list = {.rows = train.count, .cols = train.count, .count = entries, .row = row, .col = col};
    const cru_csr graph = cru_csr_from_coo(cru_ctx_pool(ctx), &list, CRU_DUP_FIRST);
    return cru_sparse_create(ctx, &graph);
}

/* mean of P_i(y_i) CE(z_i, y_i) */
static cru_tensor *weighted(cru_tape *t, cru_tensor *z, cru_tensor *share, cru_index labels)
{
    cru_tensor *each = cru_cross_entropy_each(t, z, &(cru_targets){.labels = labels});
    return cru_mean(t, cru_mul(t, cru_pick(t, share, labels), each), CRU_ALL);
}

static cru_tensor *prior_loss(cru_tape *t, cru_tensor *z, cru_tensor *one_hot)
{
    cru_tensor *q = cru_as_matrix(t, cru_mean(t, one_hot, 0), 1, -1);
    cru_tensor *p = cru_as_matrix(t, cru_mean(t, cru_softmax(t, z, 1), 0), 1, -1);
    return cru_kl(t, q, cru_log(t, p));
}

static cru_tensor *context_loss(cru_learner *l, const model *m, cru_tape *t, cru_tensor *logits)
{
    const settings *s = l->settings;
    cru_tensor *z = cru_gather(t, logits, l->train_rows);
    cru_tensor *values = m->pass.hidden ? m->pass.hidden : logits;
    cru_tensor *h = cru_gather(t, cru_detach(t, values), l->train_rows);
    cru_tensor *attention = cru_edge_softmax(t, m->context, cru_sddmm(t, m->context, h, h, 1));
    cru_tensor *one_hot = cru_one_hot(t, l->train_labels, l->task->classes);
    cru_tensor *share = cru_spmm_weighted(t, m->context, attention, one_hot); /* P, |train| x classes */
    cru_tensor *given = weighted(t, z, share, l->train_labels);
    cru_tensor *corrected = weighted(t, z, share, cru_argmax(t, share));
    cru_tensor *both = cru_lerp(t, given, corrected, s->alpha);
    return cru_add(t, both, cru_scale(t, prior_loss(t, z, one_hot), s->beta));
}

/* ---- both ------------------------------------------------------------------------------------------------ */

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    m->gcn = cru_learner_gcn(l, l->net, &s->gcn);
    if (s->variant == CRU_PAPER)
        m->context = contexts(l);
    else
        m->scale = s->alpha * (double)kappa(l->task);
}

static cru_tensor *logits(cru_learner *l, void *self, cru_tape *t)
{
    model *m = self;
    m->pass = cru_gcn_stack_pass(t, &m->gcn, l->adj, &l->x);
    return m->pass.out;
}

static cru_tensor *loss(cru_learner *l, void *self, cru_tape *t, cru_tensor *z)
{
    model *m = self;
    const settings *s = l->settings;
    if (s->variant == CRU_BENCH) return cru_scale(t, cru_learner_loss(l, t, z), m->scale);
    if (l->epoch < s->pretrain) return cru_learner_loss(l, t, z);
    return context_loss(l, m, t, z);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .labelled = true, .build = build, .logits = logits, .loss = loss,
               .adjacency = CRU_AT(settings, gcn.adjacency)),
    .name = "unionnet",
    .version = "2.1",
    .summary = "labels weighed and corrected by random-walk contexts",
    .citation = "Li, Yin, Chen. Unified Robust Training for Graph Neural Networks against Label Noise. PAKDD 2021.",
    .categories = "GLN, loss regulation",
    .problems = CRU_NODES,
    .license = "Apache-2.0",
    .authors = "The Crucible authors",
};
