// SPDX-License-Identifier: Apache-2.0
/* crdpll: two views of a row are pulled to one confidence, and labels outside the set are suppressed.
 *
 *     L = lambda_t (KL(q || p_weak) + KL(q || p_strong)) - (1/B) sum_i sum_{k not in S_i} log(1.0000001 - p_weak_ik)
 *     lambda_t = lam min(t / (steps / 2), 1)
 *     after the step:   q_ik ~ s_ik sqrt(p'_weak_ik p'_strong_ik)           p' by the network after the step
 *
 * q starts uniform on the candidate set. Of a row that is no image both views are the row itself.
 *
 * Wu, Wang, Zhang. Revisiting Consistency Regularization for Deep Partial Label Learning. ICML 2022. */
#include <math.h>

#include "row-loss.h"

typedef struct settings {
    double lam;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_FLOAT(settings, lam, 1, 0, CRU_NO_MAX, "weight of the consistency in the second half of the steps"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    const settings *s = l->settings;
    cru_tensor *weak = cru_learner_classify(l, t, &batch->x), *strong = cru_learner_classify(l, t, &batch->strong);
    cru_tensor *q = cru_gather(t, m->q, batch->rows);
    const double lambda = s->lam * fmin((double)l->epoch / (0.5 * (double)s->train.steps.steps), 1);
    cru_tensor *loss = suppression(t, weak, batch->candidates);
    loss = cru_plus(t, loss, lambda, cru_kl(t, q, cru_log_softmax(t, weak, 1)));
    return cru_plus(t, loss, lambda, cru_kl(t, q, cru_log_softmax(t, strong, 1)));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const target_model *m = self;
    cru_tensor *weak = cru_sqrt(t, cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1));
    cru_tensor *strong = cru_sqrt(t, cru_softmax(t, cru_learner_classify(l, t, &batch->strong), 1));
    cru_tensor *both = cru_mul(t, batch->candidates, cru_mul(t, weak, strong));
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, both, 1e-37));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, target_model, .backbone = CRU_AT(settings, backbone), .build = target_build,
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state, .views = CRU_VIEW_STRONG),
    .name = "crdpll",
    .version = "1.0",
    .summary = "partial labels: consistency of two views with one confidence",
    .citation = "Wu et al. Revisiting Consistency Regularization for Deep Partial Label Learning. ICML 2022.",
    .categories = "partial labels, holistic",
    OF_ROWS,
};
