// SPDX-License-Identifier: Apache-2.0
/* scl-nl: learns from the labels outside the candidate set, each a complementary label.
 *
 *     L = -(1/M) sum over the M pairs (i, k) with k not in S_i of  log(1 - p_ik + 1e-6)
 *
 * The mean is over pairs, so rows with few candidates weigh more. A batch without any pair is no step: it has no mean.
 *
 * Chou, Niu, Lin, Sugiyama. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with Complementary Labels.
 * ICML 2020. */
#include <crucible/crucible.h>

enum { PROBLEMS = CRU_ROWS };

typedef struct settings {
    cru_row_settings row;
} settings;

static const cru_param schema[] = {
    CRU_ROW_SETTINGS(settings, row),
    CRU_END,
};

static cru_tensor *batch_loss(void *self, cru_tape *t, const cru_batch *batch)
{
    cru_tensor *pairs = cru_affine(t, batch->candidates, -1, 1); /* 1 outside the set */
    cru_tensor *count = cru_sum(t, pairs, CRU_ALL);
    if (cru_tensor_item(t, count) == 0) return NULL;
    cru_tensor *p = cru_softmax(t, cru_row_model_classify(self, t, &batch->x), 1);
    /* in two sums: 1 + 1e-6 would be rounded before p is taken from it */
    cru_tensor *log_rest = cru_log(t, cru_affine(t, cru_affine(t, p, -1, 1), 1, 1e-6f));
    return cru_neg(t, cru_div(t, cru_sum(t, cru_mul(t, pairs, log_rest), CRU_ALL), count));
}

static const cru_method method = {.model_size = sizeof(cru_row_model),
                                  .train = offsetof(settings, row.train),
                                  .problems = PROBLEMS,
                                  .build = cru_row_model_build,
                                  .classify = cru_row_model_classify,
                                  .batch_loss = batch_loss};
CRU_METHOD_VTABLE(method);

CRU_PLUGIN = {
    CRU_PLUGIN_HEADER(CRU_KIND_ALGORITHM),
    .name = "scl-nl",
    .version = "1.1",
    .summary = "partial labels: negative learning from the labels outside the candidate set",
    .citation = "Chou et al. Unbiased Risk Estimators Can Mislead: A Case Study of Learning with Complementary Labels. "
                "ICML 2020.",
    .problems = PROBLEMS,
    .settings_size = sizeof(settings),
    .params = schema,
    .vtable = &vtable,
};
