// SPDX-License-Identifier: Apache-2.0
/* alim: pico whose targets may fall on labels outside the set, with a weight that the assumed rate of noise decides;
 * and mixup.
 *
 *     L = CE(q, z) + loss_weight L_cont + loss_weight_mixup CE(gamma q + (1 - gamma) q_2, z(gamma x + (1 - gamma) x_2))
 *     q_i = phi q_i + (1 - phi) onehot(argmax_k r_ik (s_ik + lambda (1 - s_ik))),  r = softmax(v mu'), from step prot_start on
 *     every E = floor(n / B) steps from start_epoch E on:  lambda = the noise_rate quantile of the margins of the last pass,
 *     margin_i = max_k r_ik s_ik / (1e-9 + max_k r_ik (1 - s_ik))
 *
 * L_cont as in pico; gamma = max(b, 1 - b), b ~ Beta(mixup_alpha, mixup_alpha). The batch x_2 comes from shuffled
 * passes of its own. In the study's code (variant bench) the count of steps stays 0: all steps are of pico's warm-up,
 * with mixup, and the targets stay uniform on the sets. Its tables come from that. Variant paper counts.
 *
 * Xu, Lian, Feng, Liu, Tao. ALIM: Adjusting Label Importance Mechanism for Noisy Partial Label Learning. NeurIPS
 * 2023. */
#include <math.h>
#include <stdlib.h>

#include <crucible/draft/minibatch.h>

#include "momentum.h"

typedef struct settings {
    momentum_settings momentum;
    int64_t start_epoch, variant;
    double loss_weight_mixup, mixup_alpha, noise_rate;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    MOMENTUM_SETTINGS(settings, momentum, 178, .search = {0}),
    CRU_INT(settings, start_epoch, 40, 0, 1e9, "passes before lambda is estimated",
            .search = CRU_ONE_OF(20, 40, 80, 100, 140)),
    CRU_FLOAT(settings, loss_weight_mixup, 1, 0, CRU_NO_MAX, "weight of the mixture"),
    CRU_FLOAT(settings, mixup_alpha, 4, 1e-3, CRU_NO_MAX, "of the Beta distribution"),
    CRU_FLOAT(settings, noise_rate, 0.2, 0, 1, "share of rows whose label is outside their set",
              .search = CRU_ONE_OF(0.1, 0.2, 0.3, 0.4, 0.5, 0.7)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "all steps count as the first, or the steps are counted"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    momentum contrast;
    cru_batches second;
    cru_rng rng;
    double lambda, *margins; /* of this pass, */
    int64_t count, pass;     /* how many; steps in a pass */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->split.train.count, size = s->train.steps.batch_size;
    momentum_build(l, &m->contrast, &s->momentum, &s->backbone);
    if (cru_ctx_status(l->ctx)) return;
    int32_t *rows = cru_ctx_alloc(l->ctx, n, sizeof *rows);
    for (int64_t i = 0; i < n; i++) rows[i] = (int32_t)i;
    m->second = cru_batches_create(l->ctx, (cru_ids){rows, n}, size, true);
    m->second.rng = cru_ctx_stream(l->ctx, "second batches");
    m->rng = cru_ctx_stream(l->ctx, "mixup");
    m->margins = cru_ctx_alloc(l->ctx, n, sizeof *m->margins);
    m->pass = n / size > 0 ? n / size : 1;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void estimate_lambda(const settings *s, model *m, int64_t step)
{
    if (step % m->pass != 0) return;
    if (step >= s->start_epoch * m->pass && m->count > 0) {
        qsort(m->margins, (size_t)m->count, sizeof *m->margins, ascending);
        const int64_t at = (int64_t)floor((double)m->count * s->noise_rate);
        m->lambda = m->margins[at < m->count ? at : m->count - 1];
    }
    m->count = 0;
}

static void collect_margins(model *m, cru_tape *t, cru_tensor *r, const cru_batch *batch)
{
    const int64_t classes = cru_tensor_cols(r);
    const float *score = cru_tensor_host(t, r), *in = cru_tensor_host(t, batch->candidates);
    for (int64_t i = 0; i < batch->count; i++) {
        double inside = 0, outside = 0;
        for (int64_t k = i * classes; k < (i + 1) * classes; k++) {
            inside = fmax(inside, (double)(score[k] * in[k]));
            outside = fmax(outside, (double)(score[k] * (1 - in[k])));
        }
        m->margins[m->count++] = inside / (1e-9 + outside);
    }
}

static cru_tensor *mixture(cru_learner *l, model *m, cru_tape *t, const cru_batch *batch)
{
    const settings *s = l->settings;
    const cru_batch second = cru_learner_batch(l, cru_batches_next(&m->second));
    const double gamma = mixup_share(&m->rng, s->mixup_alpha);
    cru_tensor *x = cru_input_dense(t, &batch->x), *other = cru_input_dense(t, &second.x);
    const cru_input mixed = cru_input_of(cru_lerp(t, other, x, gamma));
    cru_tensor *q = cru_gather(t, m->contrast.q, batch->rows), *q_2 = cru_gather(t, m->contrast.q, second.rows);
    cru_tensor *target = cru_lerp(t, q_2, q, gamma);
    return cru_soft_cross_entropy(t, cru_learner_classify(l, t, &mixed), target);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    momentum *c = &m->contrast;
    const settings *s = l->settings;
    const int64_t step = s->variant == CRU_PAPER ? l->epoch : 0;
    const bool told = step >= s->momentum.prot_start;
    estimate_lambda(s, m, step);
    momentum_look(c, t, batch);
    cru_tensor *r = cru_softmax(t, c->a, 1);
    const cru_index labels = best_candidate(t, cru_softmax(t, c->z, 1), batch);
    momentum_move(c, t, batch, cru_index_host(t, labels), NULL);
    if (told) {
        cru_tensor *weight = cru_affine(t, batch->candidates, 1 - m->lambda, m->lambda);
        const double phi = confidence_momentum(&s->momentum, step, s->train.steps.steps);
        momentum_confide(c, t, batch, cru_argmax(t, cru_mul(t, r, weight)), phi);
    }
    collect_margins(m, t, r, batch);
    cru_tensor *loss = cru_soft_cross_entropy(t, c->z, cru_gather(t, c->q, batch->rows));
    cru_tensor *contrast = told ? momentum_sup_con(c, t) : momentum_info_nce(c, t);
    loss = cru_plus(t, loss, s->momentum.loss_weight, contrast);
    return cru_plus(t, loss, s->loss_weight_mixup, mixture(l, m, t, batch));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l;
    momentum_enqueue(&((model *)self)->contrast, t, batch);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state, .views = CRU_VIEW_STRONG),
    .name = "alim",
    .version = "1.0",
    .summary = "noisy partial labels: labels outside the set count with an estimated weight; mixup",
    .citation = "Xu et al. ALIM: Adjusting Label Importance Mechanism for Noisy Partial Label Learning. NeurIPS 2023.",
    .categories = "partial labels, noisy",
    OF_ROWS,
};
