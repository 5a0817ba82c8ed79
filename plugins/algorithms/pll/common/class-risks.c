// SPDX-License-Identifier: Apache-2.0
#include "class-risks.h"

void class_risks_build(cru_learner *l, void *model)
{
    class_risk_model *m = model;
    const int64_t classes = l->task->classes, rows = l->task->split.train.count;
    float *prior = cru_ctx_alloc(l->ctx, classes, sizeof *prior),
          *unit = cru_ctx_alloc(l->ctx, classes * classes, sizeof *unit);
    const cru_tensor *sets = cru_learner_candidates(l);
    cru_tape_begin(l->tape, CRU_EVAL);
    const float *s = cru_tensor_host(l->tape, sets);
    double pairs = 0;
    for (int64_t i = 0; i < rows * classes; i++) {
        prior[i % classes] += 1 - s[i];
        pairs += 1 - (double)s[i];
    }
    for (int64_t k = 0; k < classes; k++) {
        prior[k] = pairs > 0 ? (float)(prior[k] / pairs) : 0;
        unit[k * (classes + 1)] = 1;
    }
    m->prior = cru_tensor_from(l->ctx, cru_1d(classes), prior);
    m->unit = cru_tensor_from(l->ctx, cru_2d(classes, classes), unit);
}

cru_tensor *class_risks(cru_learner *l, const class_risk_model *m, cru_tape *t, const cru_batch *batch,
                        cru_variant variant, cru_tensor **counts)
{
    const int64_t classes = l->task->classes;
    cru_tensor *pairs = outside(t, batch); /* b x classes */
    *counts = cru_sum(t, pairs, 0);
    if (cru_tensor_item(t, cru_sum(t, *counts, CRU_ALL)) == 0) return NULL;
    cru_tensor *loss = cru_neg(t, cru_log_softmax(t, cru_learner_classify(l, t, &batch->x), 1));
    cru_tensor *present = cru_maximum(t, cru_as_matrix(t, *counts, classes, 1), cru_tensor_scalar(t, 1));
    cru_tensor *a = cru_div(t, cru_matmul_op(t, pairs, loss, CRU_TN), present); /* row k: A_k */
    if (variant == CRU_PAPER) a = cru_mul(t, a, cru_as_matrix(t, m->prior, classes, 1));
    cru_tensor *all = cru_sum(t, a, 0), *own = cru_sum(t, cru_mul(t, a, m->unit), 0);
    cru_tensor *v = cru_sub(t, all, cru_scale(t, own, (double)(classes - 1)));
    return variant == CRU_PAPER ? v : cru_mul(t, v, m->prior);
}
