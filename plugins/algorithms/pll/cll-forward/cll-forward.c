// SPDX-License-Identifier: Apache-2.0
/* cll-forward: the prediction goes through the matrix that makes complementary labels, and is fitted to them.
 *
 *     r = p Q,   Q_jk = 1/(K - 1) for j != k, 0 on the diagonal      r_k = sum_{j != k} p_j / (K - 1)
 *     L = -(1/M) sum over the M pairs (i, k) with k not in S_i of  log r_ik
 *
 * The other classes are summed, not 1 - p taken, which keeps small sums exact.
 *
 * Yu, Liu, Gong, Tao. Learning with Biased Complementary Labels. ECCV 2018. */
#include "row-loss.h"

typedef struct model {
    cru_tensor *q; /* classes x classes */
} model;

static void build(cru_learner *l, void *self)
{
    model *m = self;
    const int64_t classes = l->task->classes;
    float *q = cru_ctx_alloc(l->ctx, classes * classes, sizeof *q);
    for (int64_t i = 0; i < classes * classes; i++) q[i] = i % (classes + 1) ? (float)(1 / ((double)classes - 1)) : 0;
    m->q = cru_tensor_from(l->ctx, cru_2d(classes, classes), q);
}

static cru_tensor *batch_loss(cru_learner *l, void *self, cru_tape *t, const cru_batch *batch)
{
    const model *m = self;
    cru_tensor *p = cru_softmax(t, cru_learner_classify(l, t, &batch->x), 1);
    cru_tensor *mean = pair_mean(t, batch, cru_log(t, cru_matmul(t, p, m->q)));
    return mean ? cru_neg(t, mean) : NULL;
}

CRU_PLUGIN = {
    CRU_METHOD(row_settings, row_schema, model, .backbone = CRU_AT(row_settings, backbone), .build = build,
               .batch_loss = batch_loss),
    .name = "cll-forward",
    .version = "1.0",
    .summary = "complementary labels: forward correction with the uniform matrix",
    .citation = "Yu, Liu, Gong, Tao. Learning with Biased Complementary Labels. ECCV 2018.",
    .categories = "complementary labels",
    OF_ROWS,
};
