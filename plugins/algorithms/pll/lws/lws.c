// SPDX-License-Identifier: Apache-2.0
/* lws: sigmoid losses on and off the candidate set, each side with weights of its own.
 *
 *     L = (1/B) sum_i [ sum_{k in S_i} w_ik sigma(-z_ik)  +  beta sum_{k not in S_i} w_ik sigma(z_ik) ]
 *     after the step:   w_i = share(p'_i s_i) + share(p'_i (1 - s_i)),   share(a) = a / sum_k (a_k + 1e-8)
 *
 * with p' = softmax of the network after the step; w starts at 1/K everywhere.
 *
 * Wen, Cui, Hang, Liu, Wang, Lin. Leveraged Weighted Loss for Partial Label Learning. ICML 2021. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_ROWS };

typedef struct settings {
    int64_t lw_weight;
    cru_row_settings row;
} settings;

static const cru_param schema[] = {
    CRU_INT(settings, lw_weight, 2, 0, 1000, "beta, the weight of the labels outside the set",
            .search = CRU_ONE_OF(1, 2)),
    CRU_ROW_SETTINGS(settings, row),
    CRU_END,
};

typedef struct model {
    cru_row_model row;
    cru_tensor *w; /* training items x classes */
} model;

static cru_status build(void *self)
{
    model *m = self;
    cru_learner *l = &m->row.base;
    const int64_t n = l->task->split.train.count, classes = l->task->classes;
    float *w = cru_ctx_alloc(l->ctx, n * classes, sizeof *w);
    for (int64_t i = 0; i < n * classes; i++) w[i] = 1.0f / (float)classes;
    m->w = cru_tensor_from(l->ctx, 2, (const int64_t[]){n, classes}, w);
    return cru_row_model_build(m);
}

static cru_tensor *batch_loss(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    const settings *s = m->row.base.settings;
    cru_tensor *z = cru_row_model_classify(m, t, &batch->x), *w = cru_gather(t, m->w, batch->rows);
    cru_tensor *inside = cru_mul(t, batch->candidates, cru_sigmoid(t, cru_neg(t, z)));
    cru_tensor *outside = cru_mul(t, cru_affine(t, batch->candidates, -1, 1), cru_sigmoid(t, z));
    cru_tensor *each = cru_mul(t, w, cru_add(t, inside, cru_scale(t, outside, (float)s->lw_weight)));
    return cru_scale(t, cru_sum(t, each, CRU_ALL), 1.0f / (float)batch->count);
}

static cru_tensor *share(cru_tape *t, cru_tensor *a)
{
    const float extra = 1e-8f * (float)cru_tensor_cols(a);
    return cru_div(t, a, cru_affine(t, cru_as_matrix(t, cru_sum(t, a, 1), -1, 1), 1, extra));
}

static void after_step(void *self, cru_tape *t, const cru_batch *batch)
{
    model *m = self;
    cru_tensor *p = cru_softmax(t, cru_row_model_classify(m, t, &batch->x), 1);
    cru_tensor *inside = cru_mul(t, p, batch->candidates), *outside = cru_sub(t, p, inside);
    cru_put_rows(t, m->w, batch->rows, cru_add(t, share(t, inside), share(t, outside)));
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
    .name = "lws",
    .version = "1.0",
    .summary = "partial labels: weighted sigmoid losses on and off the candidate set",
    .citation = "Wen et al. Leveraged Weighted Loss for Partial Label Learning. ICML 2021.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
