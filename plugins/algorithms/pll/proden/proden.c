// SPDX-License-Identifier: Apache-2.0
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
    cru_row_settings row;
} settings;

static const cru_param schema[] = {
    CRU_ROW_SETTINGS(settings, row),
    CRU_END,
};

typedef struct model {
    cru_row_model row;
    cru_tensor *q; /* training items x classes */
} model;

static cru_status build(void *self)
{
    model *m = self;
    m->q = cru_learner_candidate_shares(&m->row.base);
    return cru_row_model_build(m);
}

static cru_tensor *batch_loss(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    return cru_soft_cross_entropy(t, cru_row_model_classify(m, t, &batch->x), cru_gather(t, m->q, batch->rows));
}

static void after_step(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_row_model_classify(m, t, &batch->x), 1);
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, cru_mul(t, batch->candidates, p), 1e-37f));
}

static const cru_method method = {.model_size = sizeof(model),
                                  .train = offsetof(settings, row.train),
                                  .problems = PROBLEMS,
                                  .build = build,
                                  .classify = cru_row_model_classify,
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
