// SPDX-License-Identifier: Apache-2.0
/* able: rows of a batch attract each other as far as one's confidence is in the label that the other seems to have.
 *
 * One pass of [weak; strong], 2B rows, gives scores (of the weak half: z, p) and unit vectors h. With c_j = argmax_k
 * p_jk s_jk and N_c the number of rows j with c_j = c:
 *
 *     L = -(1/B) sum q log p + loss_weight (1/2B) sum_u -(tau/0.07) sum_{v != u} m_uv log P_uv
 *     m_ij = 1[c_j in S_i] Theta_i(c_j) / N_(c_j),  for both views       P_uv = softmax over v != u of h_u h_v / tau
 *     then q_ik = p_ik s_ik / sum_l p_il s_il, with the p of before the step
 *
 * The authors' and the study's code (variant bench) take Theta_i from row i of the table, i the place in the batch, so
 * always from its first B rows. Variant paper takes the q of the row itself.
 *
 * Xia, Lv, Xu, Geng. Ambiguity-Induced Contrastive Learning for Instance-Dependent Partial Label Learning. IJCAI
 * 2022. */
#include "contrast.h"

typedef struct settings {
    int64_t feat_dim, variant;
    double loss_weight, temperature;
    bool same_views;
    cru_backbone_choice backbone;
    cru_train train;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, feat_dim, 128, 1, 65536, "width of the projection", .search = CRU_ONE_OF(64, 128, 256)),
    CRU_FLOAT(settings, loss_weight, 1, 0, CRU_NO_MAX, "weight of the contrast", .search = CRU_ONE_OF(0.5, 1, 2)),
    CRU_FLOAT(settings, temperature, 0.07, 1e-3, CRU_NO_MAX, "tau", .search = CRU_ONE_OF(0.03, 0.05, 0.07, 0.09)),
    CRU_VARIANT(settings, variant, CRU_BENCH, "confidence of the table's first rows, or of the row itself"),
    CRU_BOOL(settings, same_views, false, "run on rows, too, whose views are all the same"),
    CRU_BACKBONE_SETTINGS(settings, backbone),
    CRU_IMAGE_STEP_SETTINGS(settings, train),
    CRU_END,
};

typedef struct model {
    cru_tensor *q; /* training items x classes */
    encoder net;
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const settings *s = l->settings;
    need_views(l, s->same_views);
    if (cru_ctx_status(l->ctx)) return;
    m->net = encoder_create(l->net, &l->network, s->feat_dim);
    m->q = cru_learner_candidate_shares(l);
}

/* m for both views, 2B x 2B: (Theta s) (C / N)' with C the one-hot rows of c. */
static cru_tensor *attraction(cru_tape *t, cru_tensor *inside, cru_tensor *theta, cru_tensor *sets)
{
    cru_tensor *c = cru_one_hot(t, cru_argmax(t, inside), cru_tensor_cols(sets));
    cru_tensor *present = cru_maximum(t, cru_sum(t, c, 0), cru_tensor_scalar(t, 1));
    cru_tensor *trust = cru_mul(t, theta, sets), *share = cru_div(t, c, present);
    cru_tensor *each = cru_matmul_op(t, trust, share, CRU_NT);
    cru_tensor *wide = cru_concat_cols(t, (cru_tensor *[]){each, each}, 2);
    return cru_concat_rows(t, (cru_tensor *[]){wide, wide}, 2);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const model *m = self;
    const settings *s = l->settings;
    cru_tensor *weak = cru_input_dense(t, &batch->x), *strong = cru_input_dense(t, &batch->strong);
    const cru_input both = cru_input_of(cru_concat_rows(t, (cru_tensor *[]){weak, strong}, 2));
    cru_tensor *features = encoder_features(t, &m->net, &both), *h = encoder_project(t, &m->net, features);
    cru_tensor *z = cru_fc_apply(t, &m->net.classifier.head, cru_slice_rows(t, features, 0, batch->count));
    cru_tensor *inside = cru_mul(t, cru_softmax(t, cru_detach(t, z), 1), batch->candidates);
    cru_tensor *q = cru_gather(t, m->q, batch->rows);
    cru_tensor *theta = s->variant == CRU_PAPER ? q : cru_slice_rows(t, m->q, 0, batch->count);
    cru_tensor *pull = attraction(t, inside, theta, batch->candidates);
    cru_put_rows(t, m->q, batch->rows, cru_normalize_l1(t, inside, 1e-37));
    cru_tensor *loss = cru_soft_cross_entropy(t, z, q);
    return cru_plus(t, loss, s->loss_weight, weighted_contrast(t, h, pull, s->temperature, 0));
}

CRU_PLUGIN = {
    CRU_METHOD(settings, schema, model, .backbone = CRU_AT(settings, backbone), .build = build,
               .batch_loss = batch_loss, .views = CRU_VIEW_STRONG),
    .name = "able",
    .version = "1.0",
    .summary = "partial labels: contrast within the batch, weighed by confidence",
    .citation = "Xia et al. Ambiguity-Induced Contrastive Learning for Instance-Dependent Partial Label Learning. "
                "IJCAI 2022.",
    .categories = "partial labels, holistic",
    OF_ROWS,
};
