// SPDX-License-Identifier: Apache-2.0
/* pop: proden, and at the end of a pass candidates whose confidence of the last passes is small are struck out.
 *
 *     L = -(1/B) sum_i sum_k q_ik log p_ik           after the step as in proden:  q_ik = s_ik p'_ik / sum_l s_il p'_il
 *     every E = floor(n / B) steps:  F_(e mod w) = q;  from pass warm_up on
 *         m_i = mean of the w tables F, normalised       S'_ik = s_ik [m_ik / max_l m_il >= theta]
 *         q_ik = m_ik S'_ik / sum_l m_il S'_il           theta grows by the share `inc` while theta < 0.4 and few are struck
 *
 * Variant bench rebuilds S' from the given sets every time, and the update after a step uses the given sets: a struck
 * label comes back. Variant paper strikes for good, in passes divisible by w, and counts the newly struck ones.
 *
 * Xu, Liu, Lv, Qiao, Geng. Progressive Purification for Instance-Dependent Partial Label Learning. ICML 2023. */
#include "row-loss.h"

enum { MOST_WINDOW = 64 };

typedef struct settings {
    int64_t window, warm_up, variant;
    double theta, inc;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, window, 5, 1, MOST_WINDOW, "passes whose confidences are averaged",
            .search = CRU_ONE_OF(3, 4, 5, 6, 7)),
    CRU_INT(settings, warm_up, 20, 0, 1e9, "passes before the first purification", .search = CRU_ONE_OF(10, 15, 20)),
    CRU_FLOAT(settings, theta, 1e-3, 0, 1, "least confidence beside the highest, at the start",
              .search = CRU_LOG_UNIFORM(3.1622776601683795e-5, 3.1622776601683795e-3)),
    CRU_FLOAT(settings, inc, 1e-3, 0, CRU_NO_MAX, "relative growth of theta",
              .search = CRU_LOG_UNIFORM(3.1622776601683795e-5, 3.1622776601683795e-3)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "struck labels come back, or stay struck"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_tensor *q, *sets;             /* training items x classes */
    cru_tensor *history[MOST_WINDOW]; /* confidences of the last passes */
    int64_t step, pass;               /* steps made; steps in a pass */
    double theta;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    const int64_t n = l->task->split.train.count;
    m->q = cru_learner_candidate_shares(l);
    m->sets = cru_learner_candidates(l);
    for (int64_t i = 0; i < s->window; i++) m->history[i] = cru_tensor_create(l->ctx, cru_2d(n, l->task->classes));
    m->pass = n / s->train.steps.batch_size > 0 ? n / s->train.steps.batch_size : 1;
    m->theta = s->theta;
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const model *m = self;
    cru_tensor *z = cru_learner_classify(l, t, &batch->x);
    return cru_soft_cross_entropy(t, z, cru_gather(t, m->q, batch->rows));
}

static void purify(cru_learner *l, model *m, cru_tape *t)
{
    const settings *s = l->settings;
    cru_tensor *sum = NULL;
    for (int64_t i = 0; i < s->window; i++) sum = cru_plus(t, sum, 1 / (double)s->window, m->history[i]);
    cru_tensor *mean = cru_normalize_l1(t, sum, 0), *most = cru_as_matrix(t, cru_max(t, mean, 1), -1, 1);
    cru_tensor *slack = cru_affine(t, cru_div(t, mean, most), 1, -m->theta); /* not negative: stays */
    cru_tensor *stays = cru_affine(t, cru_relu(t, cru_neg(t, cru_sign(t, slack))), -1, 1);
    cru_tensor *kept = cru_mul(t, m->sets, stays);
    const double struck = cru_tensor_item(t, cru_sum(t, cru_sub(t, m->sets, kept), CRU_ALL));
    cru_assign(t, m->q, cru_normalize_l1(t, cru_mul(t, mean, kept), 0));
    if (s->variant == CRU_PAPER) cru_assign(t, m->sets, kept);
    const double all = (double)cru_tensor_count(m->q);
    if (m->theta < 0.4 && struck < 1e-4 * all) m->theta *= 1 + s->inc;
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *sets = cru_gather(t, m->sets, batch->rows);
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, cru_mul(t, sets, p), 1e-37));
    const int64_t pass = m->step / m->pass, step = m->step++;
    if (step % m->pass != 0) return;
    cru_assign(t, m->history[pass % s->window], m->q);
    const bool due = s->variant == CRU_BENCH || pass % s->window == 0;
    if (step >= s->warm_up * m->pass && due) purify(l, m, t);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), .build = build,
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state),
    .name = "pop",
    .version = "1.0",
    .summary = "partial labels: strikes out candidates whose confidence stays small",
    .citation = "Xu et al. Progressive Purification for Instance-Dependent Partial Label Learning. ICML 2023.",
    .categories = "partial labels, identification-based",
    OF_ROWS,
};
