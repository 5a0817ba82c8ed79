// SPDX-License-Identifier: Apache-2.0
/* lws: sigmoid losses on and off the candidate set, each side with weights of its own.
 *
 *     L = (1/B) sum_i [ sum_{k in S_i} w_ik sigma(-z_ik)  +  beta sum_{k not in S_i} w_ik sigma(z_ik) ]
 *     after the step:   w_i = share(p'_i s_i) + share(p'_i (1 - s_i)),   share(a) = a / sum_k (a_k + 1e-8)
 *
 * with p' = softmax of the network after the step; w starts at 1/K everywhere. The study's code takes the sigmoid in
 * two branches, z > 0 and z < 0, so that a score of exactly 0 has the loss but no slope.
 *
 * Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021. */
#include "row-loss.h"

typedef struct settings {
    int64_t lw_weight;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, lw_weight, 2, 0, 1000, "beta, the weight of the labels outside the set",
            .search = CRU_ONE_OF(1, 2)),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_tensor *w; /* training items x classes */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const int64_t n = l->task->split.train.count, classes = l->task->classes;
    m->w = cru_tensor_create_filled(l->ctx, cru_2d(n, classes), 1.0 / (double)classes);
}

/* z, with no gradient where it is 0. */
static cru_tensor *without_slope_at_zero(cru_tape *t, cru_tensor *z)
{
    return cru_mul(t, z, cru_abs(t, cru_sign(t, cru_detach(t, z))));
}

/* The slope y (1 - y) of a sigmoid is lost where y rounds to 1; that of its logarithm is not. */
static cru_tensor *steady_sigmoid(cru_tape *t, cru_tensor *z)
{
    return cru_exp(t, cru_log_sigmoid(t, z));
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = l->settings;
    cru_tensor *z = without_slope_at_zero(t, cru_learner_classify(l, t, &batch->x));
    cru_tensor *w = cru_gather(t, m->w, batch->rows);
    cru_tensor *inside = cru_mul(t, batch->candidates, steady_sigmoid(t, cru_neg(t, z)));
    cru_tensor *others = cru_affine(t, batch->candidates, -1, 1);
    cru_tensor *outside = cru_mul(t, others, steady_sigmoid(t, z));
    cru_tensor *each = cru_mul(t, w, cru_plus(t, inside, (double)s->lw_weight, outside));
    return cru_scale(t, cru_sum(t, each, CRU_ALL), 1 / (double)batch->count);
}

static cru_tensor *share(cru_tape *t, cru_tensor *a)
{
    const double extra = 1e-8 * (double)cru_tensor_cols(a);
    return cru_div(t, a, cru_affine(t, cru_as_matrix(t, cru_sum(t, a, 1), -1, 1), 1, extra));
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *inside = cru_mul(t, p, batch->candidates), *outside = cru_sub(t, p, inside);
    cru_tensor *on = share(t, inside), *off = share(t, outside);
    cru_put_rows(t, m->w, batch->rows, cru_add(t, on, off));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state),
    .name = "lws",
    .version = "2.2",
    .summary = "partial labels: weighted sigmoid losses on and off the candidate set",
    .citation = "Wen et al. Leveraged Weighted Loss for Partial Label Learning. ICML 2021.",
    OF_ROWS,
};
