/* proden: candidate labels as soft targets that the network sharpens.
 *
 *     L = -(1/B) sum_i sum_k q_ik log p_ik                q starts uniform on the candidate set S_i
 *     after the step:   q_ik = s_ik p'_ik / sum_l s_il p'_il         p' by the network after the step
 *
 * RC (Feng et al. 2020) has the same form. A row whose candidates all have probability 0 drops out until its next
 * visit.
 *
 * Lv, Xu, Feng, Niu, Geng, Sugiyama. Progressive Identification of True Labels for Partial-Label Learning. ICML 2020.
 */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_ROWS };

typedef struct settings {
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_learner base;
    cru_classifier net;
    cru_tensor *q; /* training items x classes */
} model;

static cru_status build(void *self)
{
    model *m = self;
    const settings *s = m->base.settings;
    m->net = cru_classifier_create(m->base.net, &s->backbone, m->base.task);
    m->q = cru_learner_candidate_shares(&m->base);
    return cru_ctx_status(m->base.ctx);
}

static cru_tensor *classify(void *self, cru_tape *t, const cru_input *x)
{
    const model *m = self;
    return cru_classifier_apply(t, &m->net, x);
}

static cru_tensor *batch_loss(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    return cru_soft_cross_entropy(t, classify(m, t, &batch->x), cru_gather(t, m->q, batch->rows));
}

static void after_step(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, classify(m, t, &batch->x), 1);
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, cru_mul(t, batch->candidates, p), 1e-37f));
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .classify = classify,
                                  .batch_loss = batch_loss,
                                  .after_step = after_step};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "proden",
    .version = "1.0",
    .summary = "partial labels: candidate weights that the network sharpens",
    .citation = "Lv et al. Progressive Identification of True Labels for Partial-Label Learning. ICML 2020.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
