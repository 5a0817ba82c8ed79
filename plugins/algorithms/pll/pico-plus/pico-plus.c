// SPDX-License-Identifier: Apache-2.0
/* pico-plus: pico for noisy sets: rows far from their prototype are unreliable, and learn from guesses and neighbours.
 *
 * dist_i = -v_i mu_c, c = argmax_k p_ik s_ik. From step prot_start on, the floor(n pure_ratio) rows with the smallest
 * dist are reliable, and y_i = argmax p s of reliable rows, argmax p of the others. With g = softmax(v mu' /
 * temperature_guess):
 *
 *     L = L_mix + cls_weight mean_reliable CE(q, z) + ur_weight mean_others CE(g, z) + L_cont
 *     L_mix = CE of the targets (q of reliable rows, g of others), mixed as x is with a permuted batch, gamma as in alim
 *     L_cont = SupCon(mask, w) + ur_weight SupCon(y_i = y_j, 1) over [v; k; queue]
 *     mask: y_i = y_j, both reliable; from step knn_start on, of unreliable rows their chosen_neighbors nearest; own key always
 *     w_i = loss_weight or, unreliable, ur_weight, from step knn_start on; 1 before
 *
 * Only reliable rows move prototypes. Before prot_start as in pico. In the study's code (variant bench) the count of
 * steps stays 0, so that it never leaves that: its tables come from uniform targets and InfoNCE. Variant paper counts.
 *
 * Wang, Xiao, Li, Feng, Niu, Chen, Zhao. PiCO+: Contrastive Label Disambiguation for Robust Partial Label Learning.
 * TPAMI 2024. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <crucible/draft/ops-basic.h>
#include <crucible/draft/ops-loss.h>

#include "momentum.h"

typedef struct settings {
    momentum_settings momentum;
    int64_t knn_start, chosen_neighbors, variant;
    double pure_ratio, temperature_guess, ur_weight, cls_weight;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    MOMENTUM_SETTINGS(settings, momentum, 250, .search = CRU_ONE_OF(1, 250)),
    CRU_FLOAT(settings, pure_ratio, 1, 0, 1, "share of reliable rows", .search = CRU_ONE_OF(0.6, 0.8, 0.95, 0.99, 1)),
    CRU_INT(settings, knn_start, 5000, 0, 1e9, "step from which unreliable rows have neighbours",
            .search = CRU_ONE_OF(2, 5000, 100)),
    CRU_INT(settings, chosen_neighbors, 16, 1, 1e6, "how many", .search = CRU_ONE_OF(8, 16)),
    CRU_FLOAT(settings, temperature_guess, 0.07, 1e-3, CRU_NO_MAX, "of guessed labels",
              .search = CRU_ONE_OF(0.1, 0.07)),
    CRU_FLOAT(settings, ur_weight, 0.1, 0, CRU_NO_MAX, "weight of unreliable rows", .search = CRU_ONE_OF(0.1, 0.5)),
    CRU_FLOAT(settings, cls_weight, 2, 0, CRU_NO_MAX, "weight of the classification", .search = CRU_ONE_OF(2, 3, 5)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "all steps count as the first, or the steps are counted"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct distance {
    float dist;
    int32_t row;
} distance;

typedef struct model {
    momentum contrast;
    cru_rng rng;
    int64_t count;
    float *dist;                       /* of every training item */
    uint8_t *reliable, *queue_trusted; /* training items; keys */
    distance *order;                   /* scratch */
    uint8_t *trusted;                  /* rows of this batch, */
    float *moved;                      /* and their new distances */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    momentum_build(l, &m->contrast, &s->momentum, &s->backbone);
    if (cru_ctx_status(l->ctx)) return;
    m->count = l->task->split.train.count;
    m->rng = cru_ctx_stream(l->ctx, "mixup");
    m->dist = cru_ctx_alloc(l->ctx, m->count, sizeof *m->dist);
    m->order = cru_ctx_alloc(l->ctx, m->count, sizeof *m->order);
    m->reliable = cru_ctx_alloc(l->ctx, m->count, 1);
    m->queue_trusted = cru_ctx_alloc(l->ctx, s->momentum.moco_queue, 1);
    memset(m->reliable, 1, (size_t)m->count);
}

static int nearer(const void *a, const void *b)
{
    const distance *x = a, *y = b;
    if (x->dist != y->dist) return x->dist < y->dist ? -1 : 1;
    return x->row - y->row;
}

static void select_reliable(model *m, double ratio)
{
    const int64_t most = (int64_t)floor((double)m->count * ratio);
    for (int64_t i = 0; i < m->count; i++)
        m->order[i] = (distance){isnan(m->dist[i]) ? INFINITY : m->dist[i], (int32_t)i};
    qsort(m->order, (size_t)m->count, sizeof *m->order, nearer);
    for (int64_t i = 0; i < m->count; i++) m->reliable[m->order[i].row] = i < most;
}

/* Labels, trust and new distances of the rows of the batch. */
static const int32_t *judge(model *m, cru_tape *t, const cru_batch *batch)
{
    cru_tensor *p = cru_softmax(t, cru_detach(t, m->contrast.z), 1);
    const cru_index inside = best_candidate(t, p, batch), any = cru_argmax(t, p);
    const int32_t *rows = cru_index_host(t, batch->rows), *in = cru_index_host(t, inside),
                  *top = cru_index_host(t, any);
    const float *near = cru_tensor_host(t, cru_pick(t, m->contrast.a, inside));
    int32_t *labels = cru_tape_alloc(t, batch->count, sizeof *labels);
    m->trusted = cru_tape_alloc(t, batch->count, 1);
    m->moved = cru_tape_alloc(t, batch->count, sizeof *m->moved);
    for (int64_t i = 0; i < batch->count; i++) {
        m->trusted[i] = m->reliable[rows[i]];
        labels[i] = m->trusted[i] ? in[i] : top[i];
        m->moved[i] = -near[i];
    }
    return labels;
}

/* Adds weight / |P| at the members j != i of P = {j: chosen_j}. */
static void spread(float *row, const uint8_t *chosen, int64_t n, int64_t i, double weight)
{
    int64_t count = 0;
    for (int64_t j = 0; j < n; j++) count += chosen[j] && j != i;
    const float each = count ? (float)(weight / (double)count) : 0;
    for (int64_t j = 0; j < n; j++)
        if (chosen[j] && j != i) row[j] += each;
}

/* The mask of row i; labels and trust of all n rows; near: its nearest, NULL before knn_start. */
static void positives(uint8_t *mask, const int32_t *labels, const uint8_t *trust, int64_t n, int64_t i,
                      const int32_t *near, int64_t neighbours)
{
    for (int64_t j = 0; j < n; j++) mask[j] = labels[i] == labels[j] && trust[i] && trust[j];
    for (int64_t j = 0; j < neighbours && near && !trust[i]; j++) mask[near[j]] = 1;
}

static cru_tensor *contrast(const settings *s, const model *m, cru_tape *t, bool neighbours)
{
    const momentum *c = &m->contrast;
    cru_tensor *all = momentum_all(c, t);
    const int64_t b = cru_tensor_rows(c->v), n = cru_tensor_rows(all);
    const int64_t k = s->chosen_neighbors < n ? s->chosen_neighbors : n;
    const int32_t *labels = momentum_labels(c, t), *near = NULL;
    uint8_t *trust = cru_tape_alloc(t, n, 1), *mask = cru_tape_alloc(t, n, 1);
    memcpy(trust, m->trusted, (size_t)b);
    memcpy(trust + b, m->trusted, (size_t)b);
    memcpy(trust + 2 * b, m->queue_trusted, (size_t)(n - 2 * b));
    if (neighbours) {
        cru_tensor *likeness = cru_matmul_op(t, cru_detach(t, c->v), cru_detach(t, all), CRU_NT);
        near = cru_index_host(t, cru_topk(t, likeness, k).ids);
    }
    float *weights = cru_tape_alloc(t, b * n, sizeof *weights);
    memset(weights, 0, (size_t)(b * n) * sizeof *weights);
    for (int64_t i = 0; i < b; i++) {
        const double own = !neighbours ? 1 : trust[i] ? s->momentum.loss_weight : s->ur_weight;
        positives(mask, labels, trust, n, i, near ? near + i * k : NULL, k);
        mask[b + i] = 1;
        spread(weights + i * n, mask, n, i, own);
        for (int64_t j = 0; j < n; j++) mask[j] = labels[i] == labels[j];
        spread(weights + i * n, mask, n, i, s->ur_weight);
    }
    return weighted_contrast(t, all, cru_tensor_upload(t, cru_2d(b, n), weights), 0.07, 1e-12);
}

/* The mean of `each` over the rows with a mark, 0 when there are none. */
static cru_tensor *marked_mean(cru_tape *t, cru_tensor *each, cru_tensor *marks)
{
    const double count = fmax((double)cru_tensor_item(t, cru_sum(t, marks, CRU_ALL)), 1);
    return cru_scale(t, cru_sum(t, cru_mul(t, cru_as_matrix(t, each, -1, 1), marks), CRU_ALL), 1 / count);
}

static cru_tensor *mixture(cru_learner *l, model *m, cru_tape *t, const cru_batch *batch, cru_tensor *target)
{
    const double gamma = mixup_share(&m->rng, 4);
    int32_t *order = cru_tape_alloc(t, batch->count, sizeof *order);
    cru_rng_permutation(&m->rng, order, batch->count);
    const cru_index other = cru_index_step(t, order, batch->count);
    cru_tensor *x = cru_input_dense(t, &batch->x);
    const cru_input mixed = cru_input_of(cru_lerp(t, cru_gather(t, x, other), x, gamma));
    cru_tensor *z = cru_learner_classify(l, t, &mixed);
    return cru_soft_cross_entropy(t, z, cru_lerp(t, cru_gather(t, target, other), target, gamma));
}

static cru_tensor *full_loss(cru_learner *l, model *m, cru_tape *t, const cru_batch *batch)
{
    const settings *s = l->settings;
    cru_tensor *z = m->contrast.z, *q = cru_gather(t, m->contrast.q, batch->rows);
    cru_tensor *guess = cru_softmax(t, cru_scale(t, m->contrast.a, 1 / s->temperature_guess), 1);
    float *trust = cru_tape_alloc(t, batch->count, sizeof *trust);
    for (int64_t i = 0; i < batch->count; i++) trust[i] = m->trusted[i];
    cru_tensor *marks = cru_tensor_upload(t, cru_2d(batch->count, 1), trust), *rest = cru_affine(t, marks, -1, 1);
    cru_tensor *trusted = cru_mul(t, q, marks), *target = cru_add(t, trusted, cru_mul(t, guess, rest));
    cru_tensor *each = cru_soft_cross_entropy_each(t, z, target);
    cru_tensor *loss = mixture(l, m, t, batch, target);
    loss = cru_plus(t, loss, s->cls_weight, marked_mean(t, each, marks));
    loss = cru_plus(t, loss, s->ur_weight, marked_mean(t, each, rest));
    return cru_add(t, loss, contrast(s, m, t, l->epoch >= s->knn_start));
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    momentum *c = &m->contrast;
    const settings *s = l->settings;
    const bool told = s->variant == CRU_PAPER && l->epoch >= s->momentum.prot_start;
    if (told) select_reliable(m, s->pure_ratio);
    momentum_look(c, t, batch);
    const int32_t *labels = judge(m, t, batch);
    momentum_move(c, t, batch, labels, m->trusted);
    if (told) {
        const cru_index meant = best_candidate(t, cru_softmax(t, c->a, 1), batch);
        momentum_confide(c, t, batch, meant, confidence_momentum(&s->momentum, l->epoch, s->train.steps.steps));
        return full_loss(l, m, t, batch);
    }
    cru_tensor *loss = cru_soft_cross_entropy(t, c->z, cru_gather(t, c->q, batch->rows));
    return cru_plus(t, loss, s->momentum.loss_weight, momentum_info_nce(c, t));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    const int32_t *rows = cru_index_host(t, batch->rows);
    for (int64_t i = 0; i < batch->count; i++) {
        m->dist[rows[i]] = m->moved[i];
        m->queue_trusted[(m->contrast.at + i) % s->momentum.moco_queue] = m->trusted[i];
    }
    momentum_enqueue(&m->contrast, t, batch);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state, .views = CRU_VIEW_STRONG),
    .name = "pico-plus",
    .version = "1.0",
    .summary = "noisy partial labels: pico with unreliable rows told by their prototypes",
    .citation = "Wang et al. PiCO+: Contrastive Label Disambiguation for Robust Partial Label Learning. TPAMI 2024.",
    .categories = "partial labels, noisy",
    OF_ROWS,
};
