// SPDX-License-Identifier: Apache-2.0
/* pico: contrast with a queue of earlier keys, and class prototypes that tell which candidate is meant.
 *
 * The query network gives scores z and a unit vector v = normalise(proj(features)) of the weak view; the key network, a
 * moving average of it, gives k of the strong view. Per step:
 *
 *     y_i  = argmax_k p_ik s_ik               r_i = softmax(v_i mu')
 *     mu_y = proto_m mu_y + (1 - proto_m) v_i for each row in turn, then rows of mu to unit length
 *     q_i  = phi q_i + (1 - phi) onehot(argmax_k r_ik s_ik)                            from step prot_start on
 *     L    = -(1/B) sum q log p + loss_weight L_cont
 *
 * L_cont contrasts v with [v; k; queue]: InfoNCE before prot_start, then supervised by y. phi goes from conf_ema_start
 * to conf_ema_end.
 *
 * Wang, Xiao, Li, Feng, Niu, Chen, Zhao. PiCO: Contrastive Label Disambiguation for Partial Label Learning. ICLR
 * 2022. */
#include "momentum.h"

typedef struct settings {
    momentum_settings momentum;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    MOMENTUM_SETTINGS(settings, momentum, 178, .search = {0}),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

static void build(cru_learner *l, void *self)
{
    const settings *s = l->settings;
    momentum_build(l, self, &s->momentum, &s->backbone);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    momentum *m = self;
    const settings *s = l->settings;
    const bool told = l->epoch >= s->momentum.prot_start;
    momentum_look(m, t, batch);
    const cru_index labels = best_candidate(t, cru_softmax(t, m->z, 1), batch);
    momentum_move(m, t, batch, cru_index_host(t, labels), NULL);
    if (told) {
        const cru_index meant = best_candidate(t, cru_softmax(t, m->a, 1), batch);
        momentum_confide(m, t, batch, meant, confidence_momentum(&s->momentum, l->epoch, s->train.steps.steps));
    }
    cru_tensor *loss = cru_soft_cross_entropy(t, m->z, cru_gather(t, m->q, batch->rows));
    cru_tensor *contrast = told ? momentum_sup_con(m, t) : momentum_info_nce(m, t);
    return cru_plus(t, loss, s->momentum.loss_weight, contrast);
}

static void after_step(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    (void)l;
    momentum_enqueue(self, t, batch);
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, momentum, .build = build, .backbone = CRU_AT(settings, backbone),
               .batch_loss = batch_loss, .after_step = after_step, .state = cru_no_state, .views = CRU_VIEW_STRONG),
    .name = "pico",
    .version = "2.0",
    .summary = "partial labels: momentum contrast and class prototypes",
    .citation = "Wang et al. PiCO: Contrastive Label Disambiguation for Partial Label Learning. ICLR 2022.",
    OF_ROWS,
};
